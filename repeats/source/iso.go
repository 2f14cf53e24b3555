package source

import "time"

// wall is a time as it is written.
type wall struct {
	year, month, day, hour, minute, second int
	micro                                  int64
	digits                                 int
	offset                                 int // seconds east
	zoned, date, noSeconds                 bool
}

// parseISO reads 2026-03-04T05:06:07.123456Z and what programs make of it: a blank for
// the T, / for -, a comma for the point, no seconds, no time of day, +01, +0100, +01:00, UTC, a
// blank before the zone, or none.
func parseISO(s string) (w wall, ok bool) {
	p := iso{s: s}
	w.year = p.number(4)
	between := byte('-')
	if len(p.s) > 0 && p.s[0] == '/' {
		between = '/'
	}
	p.want(between)
	w.month = p.number(2)
	p.want(between)
	w.day = p.number(2)
	if p.bad {
		return w, false
	}
	if len(p.s) == 0 {
		w.date = true
		return w, w.valid()
	}
	if !p.skip('T') && !p.skip('t') && !p.skip(' ') {
		return w, false
	}
	w.hour = p.number(2)
	p.want(':')
	w.minute = p.number(2)
	if w.noSeconds = !p.skip(':'); !w.noSeconds {
		w.second = p.number(2)
		w.micro, w.digits = p.fraction()
	}
	w.offset, w.zoned = p.zone()
	return w, !p.bad && len(p.s) == 0 && w.valid()
}

type iso struct {
	s   string
	bad bool
}

func (p *iso) number(digits int) (n int) {
	if len(p.s) < digits {
		p.bad = true
		return 0
	}
	for i := range digits {
		d := p.s[i] - '0'
		if d > 9 {
			p.bad = true
			return 0
		}
		n = 10*n + int(d)
	}
	p.s = p.s[digits:]
	return n
}

func (p *iso) skip(c byte) bool {
	if len(p.s) == 0 || p.s[0] != c {
		return false
	}
	p.s = p.s[1:]
	return true
}

func (p *iso) want(c byte) {
	if !p.skip(c) {
		p.bad = true
	}
}

func (p *iso) fraction() (micro int64, digits int) {
	if !p.skip('.') && !p.skip(',') {
		return 0, 0
	}
	for scale := int64(100_000); len(p.s) > 0 && p.s[0] >= '0' && p.s[0] <= '9'; scale /= 10 {
		micro += int64(p.s[0]-'0') * scale
		p.s = p.s[1:]
		digits++
	}
	return micro, digits
}

func (p *iso) zone() (offset int, zoned bool) {
	p.skip(' ')
	switch p.s {
	case "":
		return 0, false
	case "Z", "z", "UTC", "GMT":
		p.s = ""
		return 0, true
	}
	sign := 1
	if p.skip('-') {
		sign = -1
	} else {
		p.want('+')
	}
	offset = p.number(2) * 3600
	if p.skip(':') || p.s != "" && p.s[0] != ' ' {
		offset += p.number(2) * 60
	}
	if p.s == " UTC" {
		p.s = ""
	}
	return sign * offset, true
}

func (w wall) valid() bool {
	return w.month >= 1 && w.month <= 12 && w.day >= 1 && w.day <= daysIn(w.year, w.month) && w.hour < 24 && w.minute < 60 && w.second <= 60
}

func daysIn(year, month int) int {
	switch {
	case month == 2 && (year%4 != 0 || year%100 == 0 && year%400 != 0):
		return 28
	case month == 2:
		return 29
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// instant is the moment in microseconds since 1970.
func (c *Clock) instant(w wall) int64 {
	c.Digits, c.Dates, c.Minutes = max(c.Digits, w.digits), c.Dates || w.date, c.Minutes || w.noSeconds
	if !w.zoned {
		c.Naive++
		if c.Zone != nil {
			return c.inZone(w)
		}
	}
	return w.utc() - int64(w.offset)*1_000_000
}

// utc counts the days since 1970 in years that begin in March, so that the leap day is
// the last.
func (w wall) utc() int64 {
	y, m := int64(w.year), int64(w.month)
	if m <= 2 {
		y, m = y-1, m+12
	}
	days := 365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int64(w.day) - 719469
	return ((days*24+int64(w.hour))*60+int64(w.minute))*60_000_000 + int64(w.second)*1_000_000 + w.micro
}

// inZone also counts what the clock change makes doubtful. Its hour that comes twice is
// taken as the first.
func (c *Clock) inZone(w wall) int64 {
	t := time.Date(w.year, time.Month(w.month), w.day, w.hour, w.minute, w.second, int(w.micro)*1000, c.Zone)
	if t.Hour() != w.hour || t.Minute() != w.minute {
		c.Skipped++
		return t.UnixMicro()
	}
	for _, other := range []time.Time{t.Add(-time.Hour), t.Add(time.Hour)} {
		if other.Hour() == w.hour && other.Day() == w.day {
			c.Ambiguous++
			if other.Before(t) {
				t = other
			}
			break
		}
	}
	return t.UnixMicro()
}
