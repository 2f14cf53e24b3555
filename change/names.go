package change

import (
	"strings"
	"unicode"
)

// checkNames refuses what would be a wrong text in one of the files, where quotes do not
// help.
func checkNames(r Request) error {
	if strings.Contains(r.Job.Type, keyMark) {
		return problem("the job's name has "+keyMark+" in it, for which a replay puts a key", "call the job by what it does, such as charge.create")
	}
	if strings.ContainsFunc(r.Folder, inCI) {
		return problem("the CI entry cannot name this folder: "+quoted(r.Folder), "GitHub and GitLab take $, *, ?, !, \\, brackets and line breaks in it for something else: rename it, or run init in another folder")
	}
	return nil
}

func inCI(r rune) bool { return strings.ContainsRune(`$*?!\[]{}`, r) || !unicode.IsPrint(r) }
