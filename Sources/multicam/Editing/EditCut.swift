import Arguments
import Containers
import Encoding
import Interchange
import Media

/// The value of `--cut`: which cut of a recording is meant.
enum EditCut: Equatable {
    /// What the program showed while it was recorded.
    case live
    /// Whoever speaks is shown. `cameras` are by the role of their microphone, where the recording does not say them.
    case voice(cameras: [String: String], shortest: Nanoseconds?)
    /// The first camera throughout.
    case none
    /// A file like `edit/cut.json`.
    case file(String)

    /// Largest file of a cut in bytes that is read.
    private static let largestByteCount = 16 << 20

    static let options = [
        OptionSpec(
            "cut", "CUT", kind: .words(["live", "voice", "none"], orFile: true),
            help: "The cut: live, voice, none, or a file like edit/cut.json (live)."),
        OptionSpec(
            "speaker", "MIC=CAMERA", isRepeatable: true,
            help: "For `--cut voice`: the camera that shows who speaks into a microphone."),
        OptionSpec("shortest", "T", help: "For `--cut voice`: length of the shortest shot (2s)."),
    ]

    /// Reads the options.
    ///
    /// - Throws: `UsageError` for a speaker that is no pair of roles, and for speakers without `--cut voice`.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        var speakers: [String: String] = [:]
        for pair in arguments.all("speaker") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts.contains(""), speakers[parts[0]] == nil else {
                throw arguments.spec.error(
                    "`--speaker \(pair.printable())`: expected a microphone and its camera, each microphone once, for example host=face."
                )
            }
            speakers[parts[0]] = parts[1]
        }
        let word = arguments.optional("cut") ?? "live"
        let shortest = try arguments.optional("shortest").map { text throws(UsageError) in
            guard let length = Nanoseconds(text), length >= .milliseconds(100), length <= .seconds(3600)
            else {
                throw arguments.spec.error(
                    "`--shortest \(text.printable())`: expected a time from 100ms to an hour, for example 2s."
                )
            }
            return length
        }
        guard (speakers.isEmpty && shortest == nil) || word == "voice" else {
            throw arguments.spec.error(
                "`--speaker` and `--shortest` are for `--cut voice`, which is missing.")
        }
        switch word {
        case "live": self = .live
        case "voice": self = .voice(cameras: speakers, shortest: shortest)
        case "none": self = .none
        default: self = .file(word)
        }
    }

    /// Makes the cut, or reads it. A cut by voice reads the audio of all microphones, some seconds for each hour.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of its session folder.
    /// - Returns: A cut from the first frame to the last.
    /// - Throws: `CutError` for a file that cannot be read or is no cut of this recording, where it is not known who is shown when,
    ///   and for audio that cannot be read.
    func cut(of session: RecordedSession, in folder: String) throws(CutError) -> Cut {
        switch self {
        case .live: return .live(of: session)
        case .none: return .none(of: session)
        case .voice(let cameras, let shortest):
            var cut = try VoiceCut(for: session, cameras: cameras)
            cut.shortest = shortest ?? cut.shortest
            var levels: [[Float]] = []
            for speaker in cut.speakers {
                guard let track = session.microphones.first(where: { $0.role == speaker.microphone }) else {
                    continue
                }
                do throws(EncodingError) {
                    levels.append(try Self.levels(of: track, in: folder))
                } catch {
                    throw CutError(
                        "the audio of \(speaker.microphone) cannot be read: \(error)", isUnreadable: true)
                }
            }
            return cut.cut(of: session, levels: levels)
        case .file(let path):
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try WholeFile.bytes(of: path, atMost: Self.largestByteCount)
            } catch {
                throw CutError(
                    "`--cut \(path.printable())`: expected live, voice, none, or a file that can be read. \(error.description)"
                )
            }
            return try Cut(reading: bytes, file: path, for: session)
        }
    }

    /// Measures a microphone's track; where nothing was recorded it is silent.
    private static func levels(of track: SessionTrack, in folder: String) throws(EncodingError) -> [Float] {
        var meter = VoiceMeter()
        var levels: [Float] = []
        for part in track.parts {
            let reader = try TrackReader(path: "\(folder)/\(part.file)", stream: part.stream, media: .audio)
            meter.skip(to: part.from)
            while let (samples, _) = try reader.nextAudio() {
                meter.add(samples)
                levels += meter.powers[(levels.count - meter.forgotten)...].map(VoiceMeter.level)
                meter.forget(before: levels.count)
            }
        }
        return levels
    }
}
