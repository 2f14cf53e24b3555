package note

import "regexp"

// footer tells what the page is worth: nothing in it is secret, so all of it can be forged.
func (n Note) footer() line {
	l := words("Made by ", codeOf("twiceproof note"), " from the job file and the replay's evidence, which has every case, its history and what no replay can see. It is no signature: "+
		"evidence that was changed in part is found out, evidence that was forged as a whole is not.")
	if again := n.again(); again != "" {
		l = append(l, words(" Whoever wants to be sure replays the code that is named at the top: ", codeOf(again), ".")...)
	}
	return l
}

var onlyOne = regexp.MustCompile(` --only \S+`)

// again is the command of the whole replay, by that of one of its cases; empty where there is
// none, or no room for it.
func (n Note) again() string {
	if len(n.Report.Results) == 0 {
		return ""
	}
	command := onlyOne.ReplaceAllString(n.Report.Results[0].Rerun, "")
	if len(command) > 120 { // a part of it would be another one
		return ""
	}
	return command
}
