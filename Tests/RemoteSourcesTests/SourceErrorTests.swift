import Testing

@testable import RemoteSources

@Suite("Why a source does not deliver")
struct SourceErrorTests {
    @Test("where a person would be asked again, an accident is the end, and says what begins it anew")
    func withoutFurtherTries() {
        let accident = SourceError.lost("the desktop of screen: has gone.")
        #expect(
            accident.withoutFurtherTries
                == .over(
                    "the desktop of screen: has gone, and the desktop would ask a person before it shows it: exchange the camera for it, or "
                        + "begin another recording."))
        for end in [SourceError.over("a person ended it."), .refused("a person ended it.")] {
            #expect(end.withoutFurtherTries == .over("a person ended it."))
        }
    }
}
