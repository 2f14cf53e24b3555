package outside

import (
	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// AuthMechanisms are the ones that mail libraries choose from.
func (s *session) AuthMechanisms() []string { return []string{"PLAIN", "LOGIN"} }

// Auth lets everybody in.
func (s *session) Auth(mechanism string) (sasl.Server, error) {
	switch mechanism {
	case "PLAIN":
		return &anybody{""}, nil
	case "LOGIN":
		return &anybody{"Username:", "Password:"}, nil
	}
	return nil, smtp.ErrAuthUnknownMechanism
}

// anybody are the questions left. The answers are not kept.
type anybody []string

// Next takes an answer, if there is one, and asks what is left to ask.
func (a *anybody) Next(response []byte) (challenge []byte, done bool, err error) {
	if response != nil {
		*a = (*a)[1:]
	}
	if len(*a) == 0 {
		return nil, true, nil
	}
	return []byte((*a)[0]), false, nil
}
