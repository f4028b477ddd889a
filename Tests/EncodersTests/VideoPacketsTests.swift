import Media
import Testing

@testable import Encoders

@Suite("Packets of a frame encoder on their way to the file")
struct VideoPacketsTests {
    /// The file's time scale is 30000, and a frame lasts 1001 ticks of it.
    private static let rate = FrameRate(30000, per: 1001)

    private static func packet(
        _ tick: Int64, decode: Int64? = nil, bytes: [UInt8] = [1], duration: Int64 = 1001, offset: Int64 = 0
    ) -> EncodedPacket {
        EncodedPacket(
            bytes: SharedBytes(bytes), presentation: tick * 1001 + offset, decode: (decode ?? tick) * 1001,
            duration: duration, isKey: tick == 0)
    }

    @Test("packets in order go on at once, each with its tick")
    func inOrder() throws {
        var packets = VideoPackets(of: "program.mp4", rate: Self.rate)
        for tick in Int64(0)..<5 {
            let written = try #require(try packets.add(Self.packet(tick), of: tick..<5))
            #expect(written.packets.map(\.presentation) == [tick * 1001])
            #expect(written.through == tick)
        }
    }

    @Test("a frame that is shown later waits for those before it, and all go on in the order of decoding")
    func reordered() throws {
        var packets = VideoPackets(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(0, decode: -2), of: 0..<8) != nil)
        #expect(try packets.add(Self.packet(3, decode: -1), of: 1..<8) == nil)
        #expect(try packets.add(Self.packet(1, decode: 0), of: 1..<8) == nil)
        let written = try #require(try packets.add(Self.packet(2, decode: 1), of: 1..<8))
        #expect(written.packets.map(\.presentation) == [3003, 1001, 2002])
        #expect(written.through == 3)
    }

    @Test(
        "a packet that cannot be of the stream is the encoder's failure",
        arguments: [
            packet(1, bytes: []), packet(0), packet(9), packet(-1), packet(1, offset: 1),
            packet(1, duration: 0),
            packet(1, duration: .max), packet(1, decode: 2), packet(1, decode: 0), packet(1, decode: -99),
        ])
    func impossible(packet: EncodedPacket) throws {
        var packets = VideoPackets(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(0), of: 0..<8) != nil)
        let error = #expect(throws: EncodingError.self) { try packets.add(packet, of: 1..<8) }
        #expect(error?.description.contains("program.mp4") == true)
    }

    @Test("a frame that comes twice is the encoder's failure while others are awaited, too")
    func twice() throws {
        var packets = VideoPackets(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(2, decode: -2), of: 0..<8)?.packets == nil)
        #expect(throws: EncodingError.self) { try packets.add(Self.packet(2, decode: -1), of: 0..<8) }
    }

    @Test("frames that never come out are named, at the end and when too many are inside")
    func missing() throws {
        let packets = VideoPackets(of: "program.mp4", rate: Self.rate)
        try packets.check(0..<200, isLast: false)
        #expect(throws: EncodingError.self) { try packets.check(0..<300, isLast: false) }
        let error = #expect(throws: EncodingError.self) { try packets.check(7..<8, isLast: true) }
        #expect(error?.description.contains("tick 7") == true)
        try packets.check(8..<8, isLast: true)
    }
}
