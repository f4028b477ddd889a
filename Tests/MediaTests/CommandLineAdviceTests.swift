import Glibc
import MulticamMedia
import Testing

/// The tests run in a program that uses the library, so messages have no advice for the command line.
@Suite("Advice for the command line")
struct CommandLineAdviceTests {
    @Test("a program that uses the library gets messages without commands and options of multicam")
    func library() {
        let reasons: [DeviceError.Reason] = [
            .notFound, .ambiguous(candidates: ["a", "b"]), .busy(by: nil), .noPermission(nil), .disconnected,
            .formatNotSupported(requested: "a", offered: ["b"]), .silent(seconds: 3), .noSignal,
            .control(.unknownPreset([])), .system(errno: EPROTO),
        ]
        var messages = reasons.map {
            DeviceError(device: "/dev/video0", operation: "starting", reason: $0).description
        }
        messages += [EACCES, ENOSPC, EROFS, ENOENT, EFBIG].map {
            FileError(path: "/recordings", operation: "writing", errno: $0).description
        }
        for kind in [nil] + SourceKind.allCases.map(Optional.some) {
            messages += LossCause.allCases.map {
                $0.explanation(of: LossExplanation.Subject(kind: kind, preset: "fast")).remedy
            }
        }
        for message in messages {
            #expect(
                !message.contains(" --") && !message.contains("`--") && !message.contains("`multicam"),
                "\(message)")
            #expect(!message.contains("  ") && !message.contains(" ."), "\(message)")
        }
    }
}
