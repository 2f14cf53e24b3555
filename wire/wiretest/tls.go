package wiretest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/wire"
)

// Authority makes one, and a file with its certificate.
func Authority(t testing.TB) (authority *wire.Authority, file string) {
	t.Helper()
	authority, err := wire.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, authority.PEM(), 0o644); err != nil {
		t.Fatal(err)
	}
	return authority, file
}

// tells is a proxy that tells why its worker had no TLS.
type tells interface {
	Close()
	WhyUnsecured() error
}

// WhyUnsecured waits until a proxy tells it: a client that gives up may have ended before
// the proxy has heard of it. Nil says that it did not tell.
func WhyUnsecured(proxy tells) (why error) {
	for limit := time.Now().Add(patience); why == nil && time.Now().Before(limit); time.Sleep(time.Millisecond) {
		why = proxy.WhyUnsecured()
	}
	return why
}

// TriesTLS runs a client to its end: one that trusts the authority takes the step; any other
// gives up before, and the proxy says so.
func TriesTLS(t testing.TB, client *exec.Cmd, trusts bool, proxy tells, steps func() []string, step string) {
	t.Helper()
	out, err := client.CombinedOutput()
	if (err == nil) != trusts {
		t.Errorf("trusts %v: %v\n%s", trusts, err, out)
	}
	if refused := (*wire.TLSError)(nil); !trusts && !errors.As(WhyUnsecured(proxy), &refused) || trusts && proxy.WhyUnsecured() != nil {
		t.Errorf("trusts %v: the proxy says %v", trusts, proxy.WhyUnsecured())
	}
	proxy.Close()
	if all := strings.Join(steps(), "\n"); strings.Contains(all, step) != trusts {
		t.Errorf("trusts %v: steps %s", trusts, all)
	}
}
