import MulticamArguments
import Testing

@Suite("Command reference")
struct CommandReferenceTests {
    private static let spec = CommandSpec(
        program: "app", name: "mix", summary: "Mixes <two> things.",
        positionals: [PositionalSpec("FOLDER", help: "Where they are.")],
        options: [OptionSpec("gain", "DB", help: "How loud: a|b, *exactly*.")])

    private static let page = CommandReference.markdown(
        program: "app", introduction: ["Made of the commands."], commands: [spec])

    @Test("lists each command with its arguments and options, and links to it")
    func sections() {
        #expect(Self.page.contains("[`app mix`](#app-mix)"))
        #expect(Self.page.contains("## app mix"))
        #expect(Self.page.contains("`FOLDER`") && Self.page.contains("`--gain DB`"))
        #expect(Self.page.contains("`--help`"))
    }

    @Test("escapes markup characters in command texts")
    func escaping() {
        #expect(Self.page.contains("Mixes &lt;two> things."))
        #expect(Self.page.contains("How loud: a\\|b, \\*exactly\\*."))
    }
}
