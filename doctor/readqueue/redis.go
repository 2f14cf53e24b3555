package readqueue

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/twiceproof/twiceproof/doctor"
)

// silence: what go-redis would log comes back as an error.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// Redis reads a server's settings, and how old Celery's oldest delivery is.
func Redis(ctx context.Context, address string) (*doctor.Redis, error) {
	redis.SetLogger(silence{})
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("the address cannot be read") // the error itself would show it
	}
	options.PoolSize, options.DisableIdentity, options.ContextTimeoutEnabled = 1, true, true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	info, err := client.Info(ctx).Result()
	if err != nil {
		return nil, err
	}
	says := lines(info)
	number := func(name string) int { n, _ := strconv.Atoi(says[name]); return n }
	r := &doctor.Redis{
		Version: says["redis_version"], Replica: says["role"] == "slave", Replicas: number("connected_slaves"),
		Policy: says["maxmemory_policy"], AppendOnly: says["aof_enabled"] == "1", Missing: doctor.Missing{},
	}
	readRedisSettings(ctx, client, r)
	r.OldestTaken, err = oldestTaken(ctx, client)
	return r, err
}

func lines(info string) map[string]string {
	says := map[string]string{}
	for line := range strings.Lines(info) {
		if name, value, cut := strings.Cut(strings.TrimSpace(line), ":"); cut {
			says[name] = value
		}
	}
	return says
}

// readRedisSettings: who rents a Redis may often not ask for its settings. What INFO has
// said suffices for some findings.
func readRedisSettings(ctx context.Context, client *redis.Client, r *doctor.Redis) {
	get := func(id string, needed bool, names ...string) string {
		var err error
		for _, name := range names {
			var found map[string]string
			if found, err = client.ConfigGet(ctx, name).Result(); err == nil && len(found) > 0 {
				return found[name]
			}
		}
		if needed {
			if err == nil {
				err = errors.New("there is no such setting")
			}
			r.Missing[id] = "CONFIG GET " + names[0] + " is refused: " + err.Error()
		}
		return ""
	}
	r.Save = get("redis.snapshots", !r.AppendOnly, "save")
	r.Fsync = get("redis.appendfsync", r.AppendOnly, "appendfsync")
	r.MinReplicas, _ = strconv.Atoi(get("redis.failover", r.Replicas > 0, "min-replicas-to-write", "min-slaves-to-write"))
	if _, is := r.Missing["redis.failover"]; is {
		r.Replicas = 0 // whether a write waits for them is not known
	}
}

// oldestTaken is by the server's clock how long ago the oldest delivery was taken that
// Celery has not acknowledged; 0: none.
func oldestTaken(ctx context.Context, client *redis.Client) (time.Duration, error) {
	oldest, err := client.ZRangeWithScores(ctx, "unacked_index", 0, 0).Result()
	if err != nil || len(oldest) == 0 {
		if err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") { // somebody else's key
			err = nil
		}
		return 0, err
	}
	now, err := client.Time(ctx).Result()
	if err != nil {
		return 0, err
	}
	return now.Sub(time.UnixMilli(int64(oldest[0].Score * 1000))), nil
}
