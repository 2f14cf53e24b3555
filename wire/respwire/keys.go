package respwire

import (
	"slices"
	"strconv"
)

// place is where a command has its keys: from the first to the last (counted from the
// end when it is negative), every step-th. Counted from 0, without the command's name.
type place struct{ first, last, step int }

var (
	one     = place{0, 0, 1}
	two     = place{0, 1, 1}
	second  = place{1, 1, 1}
	all     = place{0, -1, 1}
	butLast = place{0, -2, 1}
	pairs   = place{0, -1, 2}
)

var places = func() map[string]place {
	m := map[string]place{}
	for list, p := range map[string]place{
		"APPEND BITCOUNT BITFIELD BITPOS DECR DECRBY DUMP EXPIRE EXPIREAT EXPIRETIME GEOADD GEOSEARCH " +
			"GET GETBIT GETDEL GETEX GETRANGE GETSET HDEL HEXISTS HEXPIRE HGET HGETALL HINCRBY HINCRBYFLOAT HKEYS HLEN " +
			"HMGET HMSET HPEXPIRE HRANDFIELD HSCAN HSET HSETNX HSTRLEN HVALS INCR INCRBY INCRBYFLOAT LINDEX LINSERT LLEN " +
			"LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM MOVE PERSIST PEXPIRE PEXPIREAT PEXPIRETIME PFADD PSETEX PTTL " +
			"PUBLISH RESTORE RPOP RPUSH RPUSHX SADD SCARD SET SETBIT SETEX SETNX SETRANGE SISMEMBER SMEMBERS SMISMEMBER " +
			"SORT SORT_RO SPOP SPUBLISH SRANDMEMBER SREM SSCAN STRLEN SUBSTR TTL TYPE XACK XADD XAUTOCLAIM XCLAIM XDEL XLEN " +
			"XPENDING XRANGE XREVRANGE XTRIM ZADD ZCARD ZCOUNT ZINCRBY ZLEXCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER " +
			"ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE " +
			"ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE": one,
		"BLMOVE BRPOPLPUSH COPY GEOSEARCHSTORE LCS LMOVE RENAME RENAMENX RPOPLPUSH SMOVE ZRANGESTORE": two,
		"DEL EXISTS MGET PFCOUNT PFMERGE SDIFF SDIFFSTORE SINTER SINTERSTORE SUNION SUNIONSTORE " +
			"TOUCH UNLINK WATCH": all,
		"BLPOP BRPOP BZPOPMAX BZPOPMIN": butLast,
		"MSET MSETNX":                   pairs,
		"OBJECT XGROUP XINFO MEMORY":    second,
	} {
		for name := range words(list) {
			m[name] = p
		}
	}
	return m
}()

// counted are the commands that say how many keys come, and where they say so. What is
// before that is a key in a command whose name ends in STORE.
var counted = map[string]int{
	"EVAL": 1, "EVAL_RO": 1, "EVALSHA": 1, "EVALSHA_RO": 1, "FCALL": 1, "FCALL_RO": 1,
	"LMPOP": 0, "BLMPOP": 1, "ZMPOP": 0, "BZMPOP": 1, "SINTERCARD": 0, "ZINTERCARD": 0,
	"ZUNION": 0, "ZINTER": 0, "ZDIFF": 0, "ZUNIONSTORE": 1, "ZINTERSTORE": 1, "ZDIFFSTORE": 1,
}

// containers have a subcommand.
var containers = words("ACL CLIENT CLUSTER COMMAND CONFIG DEBUG FUNCTION LATENCY MEMORY MODULE OBJECT PUBSUB SCRIPT " +
	"SLOWLOG XGROUP XINFO")

// Keys are the keys that the command names, as far as it is known.
func (c Command) Keys() [][]byte {
	if p, known := places[c.Name]; known {
		return c.keysAt(p)
	}
	if at, known := counted[c.Name]; known {
		return c.countedKeys(at)
	}
	if c.Name == "XREAD" || c.Name == "XREADGROUP" {
		return c.streams()
	}
	return nil
}

func (c Command) keysAt(p place) (keys [][]byte) {
	last := p.last
	if last < 0 {
		last += len(c.Args)
	}
	for i := p.first; i <= last && i < len(c.Args); i += p.step {
		keys = append(keys, c.Args[i])
	}
	return keys
}

func (c Command) countedKeys(at int) [][]byte {
	if at >= len(c.Args) {
		return nil
	}
	n, err := strconv.Atoi(string(c.Args[at]))
	if err != nil || n < 0 || n > len(c.Args)-at-1 {
		return nil
	}
	keys := c.Args[at+1 : at+1+n]
	if c.Name[max(0, len(c.Name)-5):] == "STORE" {
		keys = append([][]byte{c.Args[0]}, keys...)
	}
	return keys
}

func (c Command) streams() [][]byte {
	at := slices.IndexFunc(c.Args, func(a []byte) bool { return len(a) == 7 && Command{Args: [][]byte{a}}.upper(0) == "STREAMS" })
	if at < 0 {
		return nil
	}
	rest := c.Args[at+1:]
	return rest[:len(rest)/2]
}
