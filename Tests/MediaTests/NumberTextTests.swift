import MulticamMedia
import Testing

@Suite("Numbers and addresses as text")
struct NumberTextTests {
    @Test(
        "a number is formatted with the requested number of decimals, rounded to the nearest",
        arguments: [
            (3.14159, 2, "3.14"), (-0.05, 1, "-0.1"), (2, 0, "2"), (1e20, 1, "100000000000000000000.0"),
        ])
    func decimals(value: Double, digits: Int, text: String) {
        #expect(value.decimals(digits) == text)
    }

    @Test("infinity is formatted as `inf`, and the largest number has all its digits")
    func extremes() {
        #expect(Double.infinity.decimals(1) == "inf" && (-Double.infinity).decimals(1) == "-inf")
        #expect(Double.greatestFiniteMagnitude.decimals(17).count == 309 + 18)
        #expect(1.5.decimals(-3) == "2" && 1.5.decimals(99).count == 19)
    }

    @Test("non-negative numbers get a plus sign on request")
    func signs() {
        #expect(0.25.decimals(2, isSigned: true) == "+0.25" && (-0.25).decimals(2, isSigned: true) == "-0.25")
        #expect(0.5.shortest == "0.5" && 30.0.shortest == "30")
    }

    @Test("a number is padded with zeros to a minimum width")
    func padding() {
        #expect(7.padded(2) == "07" && 123.padded(2) == "123" && UInt8(0).padded(4) == "0000")
    }

    @Test(
        "white space is trimmed only at both ends",
        arguments: [("  a b\r\n", "a b"), ("\t \n", ""), ("", "")])
    func trimming(text: String, trimmed: String) {
        #expect(text.trimmed == trimmed)
    }

    @Test(
        "percent-encoding a path and decoding it returns the original path",
        arguments: [
            ("a b&c.mov", "a%20b&c.mov"), ("ä/%2F", "%C3%A4/%252F"), ("x?y#z;\u{1}", "x%3Fy%23z%3B%01"),
        ])
    func encoding(path: String, encoded: String) {
        #expect(path.percentEncoded == encoded)
        #expect(encoded.percentDecoded == path)
    }

    @Test("invalid percent-encoded text is rejected", arguments: ["%", "%4", "a%zz", "%FF"])
    func rubbish(text: String) {
        #expect(text.percentDecoded == nil)
    }
}
