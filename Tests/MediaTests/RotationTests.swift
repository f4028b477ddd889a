import MulticamMedia
import Testing

@Suite("Rotations by right angles")
struct RotationTests {
    @Test("rotations add up modulo 360°, and subtraction reverses addition")
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
