import Media
import Testing

@Suite("Right angles")
struct RotationTests {
    @Test("one turn after another is their sum, and taking it back leads to where it began")
    func sums() {
        for first in Rotation.allCases {
            for second in Rotation.allCases {
                #expect((first + second).degrees == (first.degrees + second.degrees) % 360)
                #expect(first + second - second == first)
            }
        }
        #expect(Rotation.none - .quarter == .threeQuarters)
    }
}
