import Foundation
import Testing

@Suite("Manual pages of the commands")
struct ManualTests {
    @Test("man and mandoc render the page of every command without warnings")
    func lint() throws {
        let scratch = try Scratch()
        var environment = Multicam.environment
        environment["SOURCE_DATE_EPOCH"] = "1795269790"
        // In the help text, each command is a line with two spaces, the name, and a summary.
        let names = try Multicam.run("--help").lines.filter {
            $0.hasPrefix("  ") && $0.dropFirst(2).first?.isLetter == true
        }.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count > 15)
        for name in [nil] + names {
            let page = try Multicam.run(
                [Multicam.path, "help", "--man"] + [name].compactMap(\.self), environment: environment)
            #expect(page.output.contains(" 1 2026-11-21 "))
            let file = try scratch.file("multicam-\(name ?? "").1", page.output)
            let lint = try Multicam.run(["mandoc", "-T", "lint", file])
            #expect(lint.status == 0 && lint.output.isEmpty, "\(lint.output)")
            let shown = try Multicam.run(["man", "--warnings", "-E", "UTF-8", "-l", file])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(name ?? "multicam"): \(shown.errors)")
            #expect(shown.output.contains("multicam\(name.map { "-\($0)" } ?? "")"))
        }
    }

    @Test("a manual page of an unknown command is rejected")
    func unknown() throws {
        expectRefusal(try Multicam.run("help", "--man", "recrod"), status: 2, "Did you mean `record`")
    }
}
