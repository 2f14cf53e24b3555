package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// differingParts names the paths of the operation key whose values were not the
// same each time. The values themselves are not told.
func differingParts(keys []string, paths []job.Path) string {
	var names []string
	for _, key := range keys[1:] {
		first, parts := strings.Split(keys[0], "/"), strings.Split(key, "/")
		for i := range min(len(first), len(parts), len(paths)) {
			if name := paths[i].String(); first[i] != parts[i] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return fmt.Sprintf("one event gave %d operation keys: they differ in %s", len(keys), strings.Join(names, ", "))
}
