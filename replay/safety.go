package replay

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
)

// CheckSafe refuses what a replay must not touch: it writes, and it kills.
func CheckSafe(r Request) error {
	for _, address := range []struct{ field, url string }{
		{"database.url", r.Spec.Database.URL}, {"queue.url", r.Spec.Queue.URL},
	} {
		if address.url == "" {
			continue
		}
		if err := checkHost(address.field, address.url, r.Spec.AllowHosts); err != nil {
			return err
		}
		// Safe, but this version brings its own.
		return &hinted.Error{
			What: address.field + " names a server of yours, and this version replays on throw-away ones only",
			Hint: "leave it out: the replay starts its own",
		}
	}
	if err := checkSetNames(r.Spec); err != nil {
		return err
	}
	if err := checkSet(r.Spec.Set, r.Spec.AllowHosts); err != nil {
		return err
	}
	return checkNotProduction(r.Environ, r.Spec.Set)
}

// checkSetNames refuses to set what the replay sets itself, and what would lead the
// workers past its listener.
func checkSetNames(spec *jobfile.Replay) error {
	e := spec.Environment
	for _, name := range slices.Sorted(maps.Keys(spec.Set)) {
		if strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			return &hinted.Error{
				What: "set." + name + " would lead the workers past the replay, which refuses every call that is not meant for its stand-ins",
				Hint: "leave it out: the workers get proxy variables of the replay's own",
			}
		}
		if slices.Contains([]string{e.Database, e.Queue, e.Broker, e.Outside, e.JobFile, e.Mail, e.CA}, name) {
			return &hinted.Error{
				What: "set." + name + " is a variable by which environment gives the workers an address of the replay",
				Hint: "leave it out of set, or give that address another name under environment",
			}
		}
	}
	return nil
}

// checkSet refuses a variable that gives the workers a server of the user's.
func checkSet(set map[string]string, allowed []string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if host := foreignServer(set[name], allowed); host != "" {
			return notLoopback("set."+name, host)
		}
	}
	return nil
}

func checkHost(field, address string, allowed []string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return &hinted.Error{What: field + " is not an address that can be read", Hint: "write it as scheme://host:port/name"}
	}
	host := u.Hostname()
	if isLoopback(host) || slices.Contains(allowed, host) {
		if strings.Contains(strings.ToLower(u.Path), "prod") {
			return &hinted.Error{What: field + " looks like production by its name", Hint: "replay against staging or the lab"}
		}
		return nil
	}
	return notLoopback(field, host)
}

func notLoopback(field, host string) error {
	return &hinted.Error{
		What: fmt.Sprintf("%s is on %s, which is not this machine: a replay writes to it and kills its clients", field, host),
		Hint: "leave it out to use a throw-away server, or list the host under allow_hosts if it is a staging one",
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// The variables by which frameworks know where they run.
var environments = []string{
	"RAILS_ENV", "RACK_ENV", "DJANGO_SETTINGS_MODULE", "DJANGO_ENV", "FLASK_ENV", "NODE_ENV", "APP_ENV", "GO_ENV", "ENVIRONMENT",
}

func checkNotProduction(environ []string, set map[string]string) error {
	values := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
	}
	for name, value := range set {
		values[name] = value
	}
	for _, name := range environments {
		if strings.Contains(strings.ToLower(values[name]), "prod") {
			return &hinted.Error{What: name + " says that this is production", Hint: "run the replay where it says test or staging"}
		}
	}
	return nil
}
