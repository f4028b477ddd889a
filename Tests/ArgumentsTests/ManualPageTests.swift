import MulticamArguments
import Testing

@Suite("Manual pages")
struct ManualPageTests {
    private static let spec = CommandSpec(
        program: "app", name: "mix", summary: "Mixes two things.",
        notes: [". begins a line of `app mix`, it's 5 µs, and C:\\ is \"no\" macro."],
        positionals: [PositionalSpec("FOLDER", isRepeatable: true, help: "Where they are.")],
        options: [OptionSpec("gain", "DB", help: "How loud: -6.")])

    private static let page = ManualPage.of(spec, version: "1.0", date: "2026-11-21")

    @Test("contains the name, arguments, and options of the command")
    func sections() {
        #expect(Self.page.contains(".TH APP\\-MIX 1 2026-11-21 \"app 1.0\" \"app\"\n"))
        #expect(Self.page.contains(".SH NAME\napp\\-mix \\- Mixes two things\n"))
        #expect(Self.page.contains("\\fIFOLDER\\fR \\[u2026]\n"))
        #expect(Self.page.contains(".TP\n\\fB\\-\\-gain\\fR \\fIDB\\fR\nHow loud: \\-6.\n"))
    }

    @Test("escapes macros and escape sequences in command texts, and is pure ASCII")
    func escaping() {
        #expect(
            Self.page.contains("\n\\&. begins a line of \\fBapp mix\\fR, it\\(aqs 5 \\[u00B5]s, and C:\\e is")
        )
        #expect(Self.page.utf8.allSatisfy { $0 < 0x80 })
        #expect(Self.page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
