import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import MulticamStudio
import MulticamSystem
import Testing

@testable import MulticamControlRoom

@Suite("Media streams to pages")
struct StreamTests {
    private func piece(
        _ kind: StreamPiece.Kind, key: Bool = true, time: Int64 = 7, _ bytes: [UInt8] = [1, 2, 3]
    ) -> StreamPiece {
        StreamPiece(
            kind: kind, isKey: key, time: time, duration: .milliseconds(33), bytes: SharedBytes(bytes),
            setup: nil)
    }

    @Test("a page receives at most two unacknowledged images, and the next one after it acknowledges one")
    func pictures() {
        var stream = PageStream(3, .camera(role: "desk", width: 640, rate: 15))
        func isSent() -> Bool { stream.messages(for: piece(.jpeg), nil, start: nil) != nil }
        #expect([isSent(), isSent(), isSent(), isSent()] == [true, true, false, false])
        stream.acknowledge(sequence: 1)
        #expect([isSent(), isSent()] == [true, false])
        // A page cannot acknowledge an image that was not sent.
        stream.acknowledge(sequence: 1000)
        #expect(!isSent())
    }

    @Test("a packet stream starts at a key frame, and resumes after a gap at the next one")
    func packets() {
        var stream = PageStream(1, .packets)
        func isSent(_ key: Bool) -> Bool {
            stream.messages(for: piece(.h264, key: key), nil, start: 0) != nil
        }
        #expect(!isSent(false))
        #expect(isSent(true))
        let window = Int(StreamKey.packets.window)
        #expect((1..<window).allSatisfy { _ in isSent(false) })
        #expect(!isSent(false))
        stream.acknowledge(sequence: UInt32(window))
        #expect(!isSent(false))
        #expect(isSent(true))
        #expect(isSent(false))
    }

    @Test("a setup is sent before the first piece, and again after a change")
    func setups() throws {
        var stream = PageStream(9, .packets)
        let record: [UInt8] = [1, 0x64, 0, 0x28, 0xFF]
        let setup = try #require(StreamSetup(h264: record))
        #expect(setup.codec == "avc1.640028")
        let sent = stream.messages(for: piece(.h264), setup, start: 100)
        let first = try #require(sent?.setup)
        let told = try #require(WebJSON.object(first))
        #expect(told["stream"] == 9)
        #expect(told["type"] == "stream")
        #expect(told["description"]?.string == Data(record).base64EncodedString())
        let next = stream.messages(for: piece(.h264), setup, start: 100)
        #expect(next != nil && next?.setup == nil)
    }

    @Test(
        "an invalid decoder configuration record yields no setup",
        arguments: [[], [1], [0, 1, 2, 3, 4]] as [[UInt8]])
    func noSetup(record: [UInt8]) {
        #expect(StreamSetup(h264: record) == nil)
    }

    @Test("a message contains kind, key, stream, sequence, time, and duration before the data, little-endian")
    func layout() throws {
        var stream = PageStream(0x0102, .packets)
        let sent = stream.messages(for: piece(.h264, time: 5), nil, start: 256)
        let bytes = try #require(sent?.bytes)
        #expect(
            Array(bytes) == [2, 1, 2, 1, 1, 0, 0, 0, 5, 1, 0, 0, 0, 0, 0, 0, 0xE8, 0x80, 0, 0, 1, 2, 3])
    }

    @Test(
        "requested image widths are rounded to a few common ones",
        arguments: [(1, 160), (640, 640), (641, 960), (5000, 3840), (-4, 160)])
    func widths(wanted: Int, given: Int) {
        #expect(
            StreamKey.frames(of: "a", width: wanted, rate: 15) == .camera(role: "a", width: given, rate: 15))
    }

    @Test(
        "at most 20 streams are requested from the recorder: levels first, then pages, then images, and open streams before new ones"
    )
    func most() throws {
        let connector = RecorderConnector(OwnedDescriptor(owning: open("/dev/null", O_RDWR)))
        let recorder = RecorderConnection(nil, try WebMailbox(), connector)
        defer { recorder.close() }
        let board = StreamRegistry(recorder)
        func keys(_ rates: ClosedRange<Int>) -> Set<StreamKey> {
            Set(rates.map { .camera(role: "desk", width: 160, rate: $0) })
        }
        let levels: Set<StreamKey> = [.audio(role: "host"), .audio(role: "program")]
        // Clients with the read-only token use only the streams that pages leave free.
        let refused = board.updateSubscriptions([[], [], keys(1...40)])
        #expect(refused.count == 20)
        #expect(board.updateSubscriptions([levels, keys(41...45), keys(1...40)]).isSuperset(of: refused))
        #expect(
            board.updateSubscriptions([levels, keys(41...45), keys(1...40)]).isDisjoint(with: keys(41...45)))
        #expect(
            board.updateSubscriptions([levels, keys(41...70), []]).isDisjoint(
                with: levels.union(keys(41...45))))
        #expect(board.updateSubscriptions([levels, keys(41...58), []]).isEmpty)
    }

    @Test("a sine at half of full scale has the correct peak and RMS on each channel")
    func levels() throws {
        var board = LevelTracker()
        for slice in 0..<40 {
            let samples = (0..<960).flatMap { index -> [Int16] in
                let phase = 2 * Double.pi * 1000 * Double(slice * 960 + index) / 48_000
                return [Int16(16_383 * sin(phase)), 0]
            }
            board.add(
                StreamPiece(
                    kind: .pcm, isKey: true, time: 0, duration: .zero,
                    bytes: samples.withUnsafeBytes { SharedBytes(copying: $0) }, setup: nil),
                of: "host", channels: 2)
        }
        func host(_ told: [String: JSONValue]) throws -> [String: [Double]] {
            let text = WebJSON.text(["host": told["host"]])
            return try JSONDecoder().decode([String: [String: [Double]]].self, from: Data(text.utf8))[
                "host", default: [:]]
        }
        let told = try host(board.drainLevels())
        let (peak, mean) = (try #require(told["peak"]), try #require(told["rms"]))
        #expect(abs(peak[0] - 0.5) < 0.001 && peak[1] == 0)
        #expect(abs(mean[0] - 0.5 / 2.0.squareRoot()) < 0.001 && mean[1] == 0)
        // The peaks restart, and the mean continues.
        let later = try host(board.drainLevels())
        #expect(later["peak"] == [0, 0])
        #expect(later["rms"] == mean)
    }
}
