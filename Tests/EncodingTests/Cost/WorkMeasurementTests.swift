import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Measurement of processing costs")
struct WorkMeasurementTests {
    @Test(
        "the table has an entry per kind, plus one if detail affects the cost; more detail and a larger output cost more"
    )
    func entries() throws {
        let kinds: [WorkKind] = [
            .decodeJPEG8, .decodeJPEG1, .encodeUltrafast, .recolor, .resample, .store, .decodeH264,
        ]
        var shares: [Double] = []
        let table = try WorkMeasurement().table(of: kinds) { shares.append($0) }
        #expect(Set(table.plain.keys) == Set(kinds))
        #expect(Set(table.photographic.keys) == Set(kinds.filter(\.dependsOnDetail)))
        let pixels = Double(FrameSize(width: 1920, height: 1080).pixelCount)
        func cost(_ kind: WorkKind, _ detail: CostTable.Detail) throws -> Double {
            try #require(table.entry(kind, detail)).nanoseconds(units: pixels)
        }
        #expect(try cost(.decodeJPEG8, .photographic) > cost(.decodeJPEG8, .plain))
        #expect(try cost(.encodeUltrafast, .photographic) > cost(.encodeUltrafast, .plain))
        #expect(try cost(.decodeJPEG1, .photographic) < cost(.decodeJPEG8, .photographic))
        #expect(shares == shares.sorted() && shares.last == 1)
    }

    @Test(
        "measured frames change as much as a camera's, and their JPEGs are as large as a webcam's")
    func material() throws {
        let size = FrameSize(width: 1280, height: 720)
        let jpegs = try BenchmarkFrames(.photographic, size: size).jpegs()
        let bytes = jpegs.map(\.memory.count)
        // JPEGs from webcams have 60 to 200 KB at 720p.
        #expect(bytes.allSatisfy { (60_000...220_000).contains($0) }, "\(bytes)")
        #expect(Set(jpegs.map { Array($0.memory.bytes.prefix(5000)) }).count == jpegs.count)
        let plain = try BenchmarkFrames(.plain, size: size).jpegs().map(\.memory.count)
        #expect((plain.max() ?? 0) * 2 < bytes.min() ?? 0)
    }
}
