import MulticamContainers
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Chapters from markers")
struct MarkerChapterTests {
    @Test("a title joins the texts of all markers at one time; without a text, it is a number")
    func words() {
        let notes = MovieMetadata([
            .init(at_ns: 5, text: "Answer"), .init(at_ns: 2, text: " Question"), .init(at_ns: 2, text: ""),
            .init(at_ns: 2, text: "Laughter"), .init(at_ns: 9, text: ""),
        ])
        #expect(
            notes.chapters.map(\.title)
                == ["Question, Laughter", "Question, Laughter", "Question, Laughter", "Answer", "Marker 5"])
        #expect(notes.chapters.map(\.start.nanoseconds) == [2, 2, 2, 5, 9])
    }
}
