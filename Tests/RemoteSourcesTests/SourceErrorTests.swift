import Testing

@testable import MulticamRemoteSources

@Suite("Errors of a source")
struct SourceErrorTests {
    @Test("if a retry requires a new permission, a failure ends the source and explains how to restart it")
    func withoutFurtherTries() {
        let accident = SourceError.lost("the desktop session of screen: has ended.")
        #expect(
            accident.withoutFurtherTries
                == .over(
                    "the desktop session of screen: has ended. The desktop requires a new permission for each attempt: use "
                        + "`replace-camera` with this screen, or start a new recording."))
        #expect(SourceError.changed("it sends another size.").outageWord("network") == "reconfigured")
        #expect(SourceError.lost("it is away.").outageWord("network") == "network")
        for end in [SourceError.over("a person ended it."), .refused("a person ended it.")] {
            #expect(end.withoutFurtherTries == .over("a person ended it."))
        }
    }
}
