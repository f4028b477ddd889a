import Arguments
import Media
import Session

/// `multicam verify`: whether the files of a recording are the bytes that were recorded.
struct VerifyCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "verify",
        summary: "Hold the files of finished recordings against the checksums in their manifests.",
        notes: [
            "Reads every byte. Exit status 0: every file is what was recorded; 1: one is damaged, missing or was never finished.",
            "The checksum can be computed without multicam: docs/manifest.schema.json says how.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "The folder of a finished recording.")],
        options: [OptionSpec("json", help: "Print a line of JSON for each file.")])

    private let folder: String
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty: expected the folder of a recording.")
        }
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let verification: FolderVerification
        do throws(FileError) {
            verification = try FolderVerification(folder: folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        let isWhole = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "verify") {
                var isWhole = true
                for file in verification.files where !tell(verification.verdict(file), of: file) {
                    isWhole = false
                }
                continuation.resume(returning: isWhole)
            }
        }
        return isWhole ? .done : .failed
    }

    /// - Returns: Whether it is good.
    private func tell(_ verdict: FolderVerification.Verdict, of file: Manifest.File) -> Bool {
        let (word, text): (String, String?) =
            switch verdict {
            case .whole: ("whole", nil)
            case .unfinished(let text): ("unfinished", text)
            case .damaged(let text): ("damaged", text)
            }
        if wantsJSON {
            var fields: [String: JSONValue] = [
                "file": .string(file.file.printable()), "verdict": .string(word),
            ]
            fields["text"] = text.map { .string($0.printable(limit: 1000)) }
            Output.data(JSONText.line(JSONValue.object(fields)))
        } else {
            Output.data("\(word)  \(file.file.printable())")
            if let text { Output.message("\(folder)/\(file.file): \(text)".printable(limit: 1000)) }
        }
        return text == nil
    }
}
