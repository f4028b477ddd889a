import MulticamMedia
import Testing

@Suite("Paths from untrusted files")
struct PathWithinTests {
    @Test(
        "paths that leave their folder are detected byte by byte, as the system interprets them",
        arguments: [
            ("program.mp4", true), ("cameras/desk.mov", true), ("cameras/…/desk.mov", true), ("..mov", true),
            ("", false), ("/etc/passwd", false), ("../desk.mov", false), ("cameras/../../desk.mov", false),
            ("cameras//desk.mov", false), ("./desk.mov", false), ("cameras/", false), ("desk\0.mov", false),
            // A slash with a combining accent is one character, but the system still treats it as a slash.
            ("..\u{2F}\u{301}desk.mov", false), ("cameras/..\u{2F}\u{301}desk.mov", false),
        ])
    func within(path: String, isWithin: Bool) {
        #expect(path.isSafeRelativePath == isWithin)
    }
}
