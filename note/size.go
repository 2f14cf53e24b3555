package note

import "math"

// The page is set as large as it can be and still be one sheet of A4. How wide a letter
// is depends on the fonts that there are; these are the measures of a wide one.
const (
	sheetWidth  = 182.0 // mm, between the margins and behind a bullet
	sheetHeight = 275.0 // mm, a little less than there is
	mmPerPoint  = 0.3528
	letterWidth = 0.57 // of the font's size, in the mean
	lineHeight  = 1.25 // of the font's size
)

var sizes = []float64{8.2, 7.9, 7.6, 7.3, 7, 6.7, 6.4, 6.1, 5.8}

// sizeOf is the font's size in points.
func sizeOf(p page) float64 {
	for _, size := range sizes {
		if heightOf(p, size) <= sheetHeight {
			return size
		}
	}
	return sizes[len(sizes)-1]
}

// heightOf is how high the page becomes, in mm.
func heightOf(p page, size float64) float64 {
	m := measure{size * mmPerPoint}
	h := 4.5 + m.lines(p.verdict, 0.97) + 0.8 + m.lines(p.footer, 1.1)
	for _, l := range p.reasons {
		h += m.lines(l, 0.95) + 0.1
	}
	for _, s := range append(p.sections, p.after...) {
		h += 1.9
		for _, l := range s.lines {
			h += m.lines(l, 1) + 0.1
		}
	}
	h += 1.9
	for _, row := range p.checks {
		h += m.row(row)
	}
	h += 1.9
	if len(p.sign) == 0 {
		return (h + 1) * m.letter * lineHeight
	}
	h += 1.3 + 1.75 + max(1.75, m.lines(p.reviewer, 0.42)+0.3) // head, merged, reviewer
	for _, s := range p.sign {
		h += max(1.75, m.lines(s.value, 0.37)+0.3)
	}
	return h * m.letter * lineHeight
}

type measure struct{ letter float64 } // the font's size in mm

// lines is how many lines a text takes in a part of the width.
func (m measure) lines(l line, part float64) float64 { return m.count(plainText(l), part) }

func (m measure) count(text string, part float64) float64 {
	perLine := math.Floor(sheetWidth * part / (m.letter * letterWidth))
	return max(1, math.Ceil(float64(len([]rune(text)))/perLine))
}

// row is as high as its highest cell; a cell's words do not fill it to the last letter.
func (m measure) row(cells []string) float64 {
	parts := []float64{0.03, 0.28, 0.16, 0.16, 0.27}
	high := 1.0
	for i, text := range cells {
		if i > 0 {
			high = max(high, m.count(text, parts[i]))
		}
	}
	return high + 0.3
}
