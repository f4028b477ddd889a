import MulticamArguments
import MulticamMedia
import MulticamSessionFolder

/// `multicam verify`: checks that the files of a recording haven't changed since the recording was made.
struct VerifyCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "verify",
        summary: "Verify the files of finished recordings against their manifests' checksums.",
        notes: [
            "Reads every byte. Also reports the losses that occurred during the recording, which don't change the exit status. "
                + "Exit status: 0 if every file is unchanged since the recording; 1 if a file is damaged, missing, unreadable, or unfinished; "
                + "4 if a file can't be read because of missing permissions, and no other problem was found.",
            "For a group recording fetched with `multicam collect`, the folders of all nodes are verified in turn.",
            "docs/manifest.schema.json explains how to compute the checksum without multicam.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "Folder of a finished recording.")],
        options: [OptionSpec("json", help: "Print a line of JSON for each file.")])

    private let folder: String
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty. Expected the folder of a recording.")
        }
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        guard let group = try GroupManifest.read(in: folder) else { return await verify(folder) }
        var status = ExitStatus.done
        for node in group.nodes {
            Output.message("\(node.name):")
            let one = await verify("\(folder)/\(node.name)")
            if one == .failed || status == .done { status = one }
        }
        if let error = group.largest_error_ns {
            let text =
                error < 10_000_000 ? "\(max(1, error / 1000)) µs" : "\(error / 1_000_000) ms"
            Output.message("Maximum clock difference between two nodes: \(text).")
        }
        guard !group.missing.isEmpty else { return status }
        Output.message(
            "Not fetched yet: \(group.missing.map { $0.printable(limit: 100) }.joined(separator: ", ")). Run `multicam collect` again."
        )
        return .failed
    }

    private func verify(_ folder: String) async -> ExitStatus {
        let verification: FolderVerification
        do throws(FileError) {
            verification = try FolderVerification(folder: folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        let status = await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "verify") {
                var status = ExitStatus.done
                let progress = WorkProgress()
                let all = verification.files.reduce(0.0) { $0 + Double(max($1.bytes, 0)) }
                var read = 0.0
                for file in verification.files {
                    let verdict = verification.verdict(file) { bytes in
                        read += Double(bytes)
                        progress.report(all > 0 ? read / all : nil, "reading \(file.file.printable())")
                    }
                    progress.end()
                    let one = report(
                        verdict, of: file, in: folder, filling: verification.fillerDescription(of: file))
                    if one == .failed || status == .done { status = one }
                }
                continuation.resume(returning: status)
            }
        }
        Output.message("During the recording: \(verification.recordingVerdict.text)")
        return status
    }

    /// Prints the result of verifying a file.
    ///
    /// - Returns: The exit status that corresponds to the result.
    private func report(
        _ verdict: FolderVerification.FileVerdict, of file: Manifest.File, in folder: String, filling: String?
    ) -> ExitStatus {
        let (word, text): (String, String?) =
            switch verdict {
            case .intact: ("whole", nil)
            case .unfinished(let text): ("unfinished", text)
            case .damaged(let text): ("damaged", text)
            case .missing(let text): ("missing", text)
            case .unreadable(let error): ("unreadable", error.description)
            }
        if wantsJSON {
            var fields: [String: JSONValue] = [
                "file": .string(file.file.printable()), "verdict": .string(word),
            ]
            fields["added_content"] = filling.map { .string($0) }
            fields["text"] = text.map { .string($0.printable(limit: 1000)) }
            Output.data(JSONText.line(JSONValue.object(fields)))
        } else {
            let words = text == nil ? "unchanged since recording" : word
            Output.data("\(words): \(file.file.printable())\(filling.map { " (contains \($0))" } ?? "")")
            if let text { Output.message("\(folder)/\(file.file): \(text)".printable(limit: 1000)) }
        }
        if case .unreadable(let error) = verdict, error.isPermission { return .noPermission }
        return text == nil ? .done : .failed
    }
}
