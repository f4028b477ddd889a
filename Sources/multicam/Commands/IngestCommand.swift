import MulticamArguments
import MulticamMedia
import MulticamRendering
import MulticamSessionFolder

/// `multicam ingest`: creates a media file from the local recording that a phone uploaded. The control room
/// runs this command after the upload.
struct IngestCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "ingest",
        summary: "Add a phone's locally saved video to a recording.",
        notes: [
            "While a phone records, its page saves every frame in the phone's storage. "
                + "If the network was too slow for some frames, the page uploads the saved video after the recording "
                + "to `cameras/ROLE-phone-ID.part` in the session folder, and the control room runs this command. "
                + "The command converts the upload to `cameras/ROLE-phone.mp4`, "
                + "with each frame at its capture time, and lists the new file under `uploads` in manifest.json. "
                + "The recorded track is not changed; `export` and `render` use the phone's file instead.",
            "Prints the file's path. The command can be interrupted and run again.",
            "Exit status: 0 if the file exists; 1 if the upload can't be used; 4 if permission is denied; 7 if the file can't be written.",
        ],
        positionals: [
            PositionalSpec("FOLDER", help: "Session folder of a finished recording."),
            PositionalSpec("ROLE", help: "Role of the phone's camera."),
            PositionalSpec("ID", help: "Upload ID from the name of the uploaded file."),
        ],
        options: [OptionSpec("json", help: "Print the new manifest entry as JSON.")])

    private let folder: String
    private let arrival: UploadArrival
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let words = arguments.positionals
        guard words.count == 3, !words[0].isEmpty, let arrival = UploadArrival(role: words[1], id: words[2])
        else {
            throw arguments.spec.error(
                "Expected a session folder, a camera role, and an upload ID of letters and digits.")
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
                    progress.report($0, "reading the phone's video")
                }
            }
        } catch let error as FileError
            where !error.isPermission && ["ingesting", "opening", "reading"].contains(error.operation)
        {
            throw RenderError.nothingToRender(error.description)
        }
        Output.endStatus()
        Output.data(
            wantsJSON
                ? String(decoding: JSONText.pretty(upload), as: UTF8.self)
                : "\(folder.printable(limit: 1000))/\(upload.file)")
        return .done
    }
}
