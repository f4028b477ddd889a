import MulticamYAML
import Testing

@Suite("YAML reader")
struct YAMLReaderTests {
    private func read(_ text: String) throws(YAMLError) -> YAMLNode {
        try YAMLReader.read(Array(text.utf8))
    }

    private func fields(_ node: YAMLNode?) -> [YAMLField] {
        guard case .mapping(let fields) = node?.content else { return [] }
        return fields
    }

    @Test("fields keep their order, and every name and value has a position")
    func positions() throws {
        let root = try read("zebra: 1\nape:\n  - x\n  - { deep: \"y\" }\n")
        let top = fields(root)
        #expect(top.map(\.name) == ["zebra", "ape"])
        #expect(top.map(\.position) == [YAMLPosition(line: 1, column: 1), YAMLPosition(line: 2, column: 1)])
        #expect(top[0].value.position == YAMLPosition(line: 1, column: 8))
        guard case .sequence(let items) = top[1].value.content else {
            Issue.record("a list stands there")
            return
        }
        #expect(items[0].content == .scalar(YAMLScalar(text: "x", isQuoted: false)))
        let deep = try #require(fields(items[1]).first)
        #expect(deep.position == YAMLPosition(line: 4, column: 7))
        #expect(deep.value.position == YAMLPosition(line: 4, column: 13))
        #expect(deep.value.content == .scalar(YAMLScalar(text: "y", isQuoted: true)))
    }

    @Test("columns count characters, not bytes, and a byte order mark does not count")
    func columns() throws {
        let root = try read("\u{FEFF}{ grün: 1, b: 2 }")
        #expect(fields(root).map(\.position.column) == [3, 12])
    }

    @Test("an empty value, ~, and null are null, unless they are in quotes")
    func nulls() throws {
        let root = try read("a:\nb: ~\nc: null\nd: \"null\"\ne: ''\nf: nil")
        #expect(fields(root).map(\.value.isNull) == [true, true, true, false, false, false])
    }

    @Test("an escaped NUL is one character of the text")
    func nulEscape() throws {
        let root = try read(#"a: "x\0y""#)
        #expect(fields(root)[0].value.content == .scalar(YAMLScalar(text: "x\0y", isQuoted: true)))
    }

    @Test(
        "empty files and comments are null", arguments: ["", "# nothing\n", "---\n", "---\n...\n"])
    func empty(text: String) throws {
        #expect(try read(text).isNull)
    }

    @Test(
        "unsupported YAML features are rejected with position, path, and reason",
        arguments: [
            (
                "a: 1\na: 2",
                "2:1: a: found a duplicate field, first set on line 1, expected each field only once."
            ),
            (
                "a: { b: 1, b: 2 }",
                "1:12: a.b: found a duplicate field, first set on line 1, expected each field only once."
            ),
            ("a: &x 1", "1:4: a: found an anchor, expected a value without an anchor."),
            ("a: *x", "1:4: a: found an alias, expected the value itself."),
            ("a: !!int 1", "1:4: a: found a tag, expected a value without a tag."),
            ("a: 1\n---\nb: 2", "2:1: found a second document, expected one document per file."),
            ("a: 1\n\tb: 2", "2:1: found a tab, expected spaces."),
            ("a: x\u{0}y", "1:5: found the control character U+0000, expected text."),
            ("a: \r\n  x\u{1B}[2J", "2:4: found the control character U+001B, expected text."),
            ("? [a]\n: 1", "1:3: found a field name that is not a plain word, expected “name: value”."),
            (
                "a: b: c",
                "1:5: found a second “name: value” pair within a value, expected one field per line, or the value in quotes."
            ),
            (
                "a: { b: 1\nc: 2",
                "2:2: a: found an unexpected token while parsing a flow mapping, expected ',' or '}'."
            ),
            ("a: @x", "1:4: a: found a character that cannot begin a value, expected the value in quotes."),
            ("a: 1\nbb\nc: 3", "3:1: found a line without a colon, expected “name: value”."),
            (
                "a: \"x",
                "1:6: a: found unexpected end of stream while scanning a quoted scalar, expected valid YAML."
            ),
        ] as [(text: String, message: String)])
    func refused(text: String, message: String) {
        let error = #expect(throws: YAMLError.self) { try read(text) }
        #expect(error?.description == message)
    }

    @Test("invalid UTF-8 is rejected with its position")
    func invalidText() {
        let error = #expect(throws: YAMLError.self) { try YAMLReader.read(Array("a: 1\nb: x".utf8) + [0xFF]) }
        #expect(error?.description == "2:5: found invalid UTF-8, expected text in UTF-8.")
        #expect(throws: YAMLError.self) { try YAMLReader.read([0xFF, 0xFE, 0x61, 0x00]) }
    }

    @Test("32 levels are read, 33 are rejected, and a million brackets are rejected quickly")
    func depth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        _ = try read(nested(32))
        let error = #expect(throws: YAMLError.self) { try read(nested(33)) }
        #expect(
            error?.description == "1:33: found more than 32 nested levels, expected at most 32 levels.")
        #expect(throws: YAMLError.self) { try read(String(repeating: "[", count: 1_000_000)) }
    }

    @Test("a file of 1 MB is read; one more byte is rejected")
    func size() throws {
        let comment = "#" + String(repeating: "x", count: YAMLReader.byteLimit - 1)
        #expect(try read(comment).isNull)
        let error = #expect(throws: YAMLError.self) { try read(comment + "x") }
        #expect(error?.description == "1:1: found a file larger than 1048576 bytes, expected at most 1 MB.")
    }

    @Test("every prefix of a file is either read or rejected with a position")
    func beginnings() {
        let whole = Array("a: { b: [1, \"\\u00e4\"], c: |\n  é\n }\n? x\n: &y *z\n--- !t\n...".utf8)
        for length in 0...whole.count {
            do throws(YAMLError) {
                _ = try YAMLReader.read(Array(whole.prefix(length)))
            } catch {
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
    }
}
