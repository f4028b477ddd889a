import Containers
import Media
import SessionFolder
import Testing

@Suite("Chapters of marks")
struct MarkChapterTests {
    @Test("have the words of all marks of one instant, and a number where there are none")
    func words() {
        let notes = MovieNotes([
            .init(at_ns: 5, text: "Answer"), .init(at_ns: 2, text: " Question"), .init(at_ns: 2, text: ""),
            .init(at_ns: 2, text: "Laughter"), .init(at_ns: 9, text: ""),
        ])
        #expect(
            notes.chapters.map(\.title)
                == ["Question, Laughter", "Question, Laughter", "Question, Laughter", "Answer", "Mark 5"])
        #expect(notes.chapters.map(\.start.nanoseconds) == [2, 2, 2, 5, 9])
    }
}
