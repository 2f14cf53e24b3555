package replay

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// foreignServer is the host of an address such as postgres://db.example/shop, when
// it is neither this machine nor allowed.
func foreignServer(value string, allowed []string) string {
	for _, host := range hostsOf(value) {
		if host != "" && !strings.HasPrefix(host, "/") && !isLoopback(host) && !slices.Contains(allowed, host) {
			return host
		}
	}
	return ""
}

var (
	// user:password@tcp(db.example:3306)/shop, of Go's driver for MySQL.
	inBrackets = regexp.MustCompile(`@tcp6?\(([^)]*)\)`)
	// host=db.example dbname=shop, of libpq.
	asWords = regexp.MustCompile(`(?:^|\s)host(?:addr)?\s*=\s*'?([^\s']+)`)
	// What has a scheme; what speaks HTTP is stopped by the proxy that refuses.
	withScheme = regexp.MustCompile(`^[A-Za-z][\w+.\-]*://`)
)

// hostsOf are the hosts of an address of a server, in the forms that clients take. One that
// net/url cannot read may be good for its client all the same. Counter-examples: two hosts,
// h1:5432,h2:5432; a password with a # or a % in it.
func hostsOf(value string) (hosts []string) {
	for _, m := range slices.Concat(inBrackets.FindAllStringSubmatch(value, -1), asWords.FindAllStringSubmatch(value, -1)) {
		hosts = append(hosts, hostList(m[1])...)
	}
	scheme := withScheme.FindString(value)
	switch strings.ToLower(scheme) {
	case "", "http://", "https://":
		return hosts
	}
	u, err := url.Parse(value)
	if err == nil {
		hosts = append(hosts, hostList(u.Host)...)
		return append(hosts, slices.Concat(hostList(u.Query().Get("host")), hostList(u.Query().Get("hostaddr")))...)
	}
	rest, _, _ := strings.Cut(value[len(scheme):], "?")
	rest = rest[strings.LastIndex(rest, "@")+1:]
	rest, _, _ = strings.Cut(rest, "/")
	return append(hosts, hostList(rest)...)
}

// hostList splits h1:5432,[::1]:5432 and leaves the ports out.
func hostList(list string) (hosts []string) {
	for one := range strings.SplitSeq(list, ",") {
		hosts = append(hosts, (&url.URL{Host: one}).Hostname())
	}
	return hosts
}
