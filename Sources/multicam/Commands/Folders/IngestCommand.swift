import Arguments
import Media
import Rendering
import SessionFolder

/// `multicam ingest`: makes a file of what a phone has stored of a recording. The control room runs it when that has arrived.
struct IngestCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "ingest",
        summary: "Add to a recording what a phone kept of it in its own storage.",
        notes: [
            "While a phone is recorded, its page keeps every frame in the phone's storage. Where the network was too slow for some of them "
                + "it sends what it kept when the recording has ended, to `cameras/ROLE-phone-ID.part` in the session folder; the control room "
                + "runs this command then. It makes `cameras/ROLE-phone.mp4` of it, whose frames lie at the instants at which the phone "
                + "captured them, and names it under `uploads` in manifest.json. What was recorded stays as it is; `export` and `render` show "
                + "the phone's file in its place.",
            "Prints the file's path. Interrupted, it can be run again.",
            "Exit status: 0 when the file is there; 1 when nothing can be made of what has arrived; 4 without permission; 7 when the file "
                + "cannot be written.",
        ],
        positionals: [
            PositionalSpec("FOLDER", help: "A session folder whose recording has ended."),
            PositionalSpec("ROLE", help: "Role of the phone's camera."),
            PositionalSpec("ID", help: "The number in the name of the file that has arrived."),
        ],
        options: [OptionSpec("json", help: "Print what was added to the manifest, as JSON.")])

    private let folder: String
    private let arrival: UploadArrival
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let words = arguments.positionals
        guard words.count == 3, !words[0].isEmpty, let arrival = UploadArrival(role: words[1], id: words[2])
        else {
            throw arguments.spec.error(
                "expected a session folder, the role of a camera, and a number of letters and digits.")
        }
        (folder, self.arrival) = (words[0], arrival)
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        let upload: Manifest.Upload
        do {
            upload = try await MediaThread.run(named: "ingest") { [folder, arrival] in
                let progress = WorkProgress()
                return try PhoneIngest(arrival, into: folder).run {
                    progress.tell($0, "reading what the phone kept")
                }
            }
        } catch let error as FileError
            where !error.isPermission && ["ingest", "open", "read"].contains(error.operation)
        {
            throw RenderError.nothing(error.description)
        }
        Output.endStatus()
        Output.data(
            wantsJSON
                ? String(decoding: JSONText.pretty(upload), as: UTF8.self)
                : "\(folder.printable(limit: 1000))/\(upload.file)")
        return .done
    }
}
