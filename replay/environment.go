package replay

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
)

// addresses are where one worker finds its peers: its own proxies.
type addresses struct {
	database, outside, jobFile, mail, refuse string
	authority                                string // a file with whom to trust; empty: nobody
	temp                                     string // a folder for what a killed worker leaves behind
	queue                                    queue.Addresses
}

// environment is what a worker is started with: what the replay was started with,
// less everything that would lead it elsewhere, and the addresses of the lab.
func environment(inherited []string, spec *jobfile.Replay, a addresses) []string {
	env := slices.DeleteFunc(slices.Clone(inherited), func(v string) bool { return leadsElsewhere(v, spec.AllowHosts) })
	set := map[string]string{
		"HTTP_PROXY": a.refuse, "HTTPS_PROXY": a.refuse, "http_proxy": a.refuse, "https_proxy": a.refuse,
		"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
		"TMPDIR": a.temp,
		// The SDKs of Amazon ask for credentials and sign; the lab's endpoint does not look.
		"AWS_ACCESS_KEY_ID": "lab", "AWS_SECRET_ACCESS_KEY": "lab", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1", // boto3 reads the second one
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	}
	if a.authority != "" {
		for _, name := range append(trusting, spec.Environment.CA) {
			set[name] = a.authority
		}
	}
	for name, value := range spec.Set {
		set[name] = value
	}
	delete(set, "")
	for name, value := range map[string]string{
		spec.Environment.Database: a.database, spec.Environment.Queue: a.queue.Queue, spec.Environment.Broker: a.queue.Broker,
		spec.Environment.Outside: a.outside, spec.Environment.JobFile: a.jobFile, spec.Environment.Mail: a.mail,
	} {
		if name != "" {
			set[name] = value
		}
	}
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}

// leadsElsewhere tells whether a worker could reach a server of the user's by this
// variable. What speaks HTTP is stopped by the proxy that refuses.
func leadsElsewhere(variable string, allowed []string) bool {
	name, value, _ := strings.Cut(variable, "=")
	upper := strings.ToUpper(name)
	return strings.HasPrefix(upper, "AWS_") || strings.HasSuffix(upper, "_PROXY") ||
		slices.Contains(clientsOwn, name) || foreignServer(value, allowed) != ""
}

// clientsOwn are what libpq and MySQL's clients read beside the address that they are
// given: also what they would insist on, which a throw-away server has not.
var clientsOwn = []string{
	"PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE",
	"PGCHANNELBINDING", "PGREQUIREAUTH",
	"MYSQL_HOST", "MYSQL_TCP_PORT", "MYSQL_UNIX_PORT", "MYSQL_PWD", "MYSQL_HOME",
}
