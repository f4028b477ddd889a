import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Conversion of H.264 from AVCC to Annex B")
struct AnnexBTests {
    /// A configuration record with one sequence parameter set and one picture parameter set.
    private let record: [UInt8] = [1, 0x64, 0, 40, 0xFF, 0xE1, 0, 3, 0x67, 1, 2, 1, 0, 2, 0x68, 3]

    @Test("parameter sets of a configuration record get start codes; those in Annex B are unchanged")
    func sets() {
        #expect(AnnexB.parameterSets(of: record) == [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3])
        let plain: [UInt8] = [0, 0, 0, 1, 0x67, 1]
        #expect(AnnexB.parameterSets(of: plain) == plain)
    }

    @Test("length-prefixed NAL units get start codes")
    func units() {
        let unit = SharedBytes([0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41] as [UInt8])
        let made = AnnexB.accessUnit(unit, setup: record)
        #expect(withExtendedLifetime(made) { Array(made.bytes) } == [0, 0, 0, 1, 0x65, 1, 0, 0, 0, 1, 0x41])
        #expect(AnnexB.accessUnit(unit, setup: [0, 0, 0, 1]) === unit)
    }

    @Test("data truncated at any byte gives shorter output and does not crash")
    func damaged() {
        for length in 0...record.count {
            #expect(AnnexB.parameterSets(of: Array(record.prefix(length))).count <= record.count)
        }
        let unit: [UInt8] = [0, 0, 0, 9, 0x65, 1, 0xFF, 0xFF, 0xFF, 0xFF, 1]
        for length in 0...unit.count {
            let made = AnnexB.accessUnit(SharedBytes(unit.prefix(length)), setup: record)
            #expect(made.count <= unit.count + 4)
        }
    }
}
