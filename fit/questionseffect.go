package fit

import "github.com/twiceproof/twiceproof/job"

// effectQuestions are about what must not happen twice.
func effectQuestions() []Question {
	return []Question{
		{
			ID: "effect", Text: "Where does the side effect happen?",
			Why: "A row in the same database can share the record's transaction. A call to somebody else cannot.",
			Options: []Option{
				{Value: "own_row", Text: "a row in the application's own database"},
				{Value: "outside", Text: "in another system: a call, a mail, a file"},
			},
		},
		{ID: "what", Optional: true, Text: "What is the side effect, in plain words?", Why: "Such as: a charge at the payment service."},
		{
			ID: "effects", Text: "How many such calls does one message lead to?", asked: isOutside,
			Why: "One operation key covers one effect: after a crash half-way through several, nobody can tell which of them happened.",
			Options: []Option{
				{Value: "one", Text: "one"},
				{
					Value: "many", Text: "several, such as a mail to each of 50 people",
					Stop: "One message leads to several effects, and one record cannot say which of them are there.",
					Mend: "Split the job: let it put one message on the queue for each effect, with an identifier of its own, and answer again for the job that makes one.",
				},
			},
		},
	}
}

// outsideQuestions are about what is known of an effect in another system.
func outsideQuestions() []Question {
	return []Question{
		{
			ID: "lookup", Text: "Can the outside system be asked afterwards whether it has the effect, with a sure yes or no?", asked: isOutside,
			Why: "By a reference that you gave it, or by something else that names the operation. Mail providers mostly cannot be asked.",
			Options: []Option{
				{Value: "yes", Text: "yes"},
				{Value: "no", Text: "no, or nobody knows"},
			},
		},
		{
			ID: "settle", Optional: true, Text: "How long may it take until such a look-up shows a call?", asked: canLookUp, check: checkDuration,
			Why: "A look-up that comes too early says no although the call is on its way. Such as 30s; leave it out if nobody knows.",
		},
		{
			ID: "reference", Text: "Does it take a reference of yours, and make one effect of two calls with the same one?",
			Why:   "Often called an idempotency key. The job gives the same reference in every attempt.",
			asked: func(a Answers) bool { return isOutside(a) && a["lookup"] == "no" },
			Options: []Option{
				{Value: "yes", Text: "yes"},
				{Value: "no", Text: "no, or nobody knows"},
			},
		},
		{
			ID: "reference_window", Optional: true, Text: "For how long does it remember a reference?", check: checkDuration,
			Why:   "After that a second call is a second effect. Such as 24h; leave it out if nobody knows.",
			asked: func(a Answers) bool { return isOutside(a) && a["lookup"] == "no" && a["reference"] == "yes" },
		},
		policyQuestion(),
	}
}

func policyQuestion() Question {
	return Question{
		ID: "policy", Text: "When a worker died and nobody can tell whether the effect happened: what shall be done?",
		Why: "Nobody can promise once here: the effect can neither be recognised nor looked up. What the job does then is written down and tested.",
		asked: func(a Answers) bool {
			return isOutside(a) && a["lookup"] == "no" && a["reference"] != "" && !recognised(a)
		},
		Options: []Option{
			{Value: "hold", Text: "hold the operation until a person decides"},
			{Value: "accept_duplicate", Text: "act once more: a rare duplicate is acceptable"},
			{Value: "accept_miss", Text: "do not act again: a rare miss is acceptable"},
			{Value: "undecided", Text: "not decided yet"},
			{
				Value: "none", Text: "none of these is acceptable",
				Stop: "The effect is in a system with no reference, no look-up and no way to recognise a repeat, and no policy for the uncertain case is acceptable. Then nobody can make it safe from this side.",
				Mend: "Choose one of hold, a rare duplicate and a rare miss; or use a service that takes a reference or can be asked; or let the job write a row, and a person do the rest.",
			},
		},
	}
}

func isOutside(a Answers) bool { return a["effect"] == string(job.Outside) }

func canLookUp(a Answers) bool { return isOutside(a) && a["lookup"] == "yes" }

// recognised: the outside system knows a reference again, for longer than a claim is
// good for. Where it forgets sooner, a second call comes too late to be recognised.
func recognised(a Answers) bool {
	if a["reference"] != "yes" {
		return false
	}
	window, what, _ := duration(a["reference_window"])
	return a["reference_window"] == "" || what == "" && window > leaseOf(a)
}
