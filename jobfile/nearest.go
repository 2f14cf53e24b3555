package jobfile

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest is the known name that a misspelt one probably means, or empty.
func nearest(name string, known []string) string {
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(plainName(name), plainName(k)); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

// plainName leaves out what people vary: case, - and _.
func plainName(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
}
