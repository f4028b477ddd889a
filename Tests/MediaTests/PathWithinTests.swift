import Media
import Testing

@Suite("Paths out of files that anybody may have written")
struct PathWithinTests {
    @Test(
        "what leads out of a folder is seen as the system sees it, byte by byte",
        arguments: [
            ("program.mp4", true), ("cameras/desk.mov", true), ("cameras/…/desk.mov", true), ("..mov", true),
            ("", false), ("/etc/passwd", false), ("../desk.mov", false), ("cameras/../../desk.mov", false),
            ("cameras//desk.mov", false), ("./desk.mov", false), ("cameras/", false), ("desk\0.mov", false),
            // A slash with an accent is one character, and a slash.
            ("..\u{2F}\u{301}desk.mov", false), ("cameras/..\u{2F}\u{301}desk.mov", false),
        ])
    func within(path: String, isWithin: Bool) {
        #expect(path.isPathWithin == isWithin)
    }
}
