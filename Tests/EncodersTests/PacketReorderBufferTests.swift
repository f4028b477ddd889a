import MulticamMedia
import Testing

@testable import MulticamEncoders

@Suite("Packets from a video encoder to the file")
struct PacketReorderBufferTests {
    /// The file's time scale is 30000, and a frame lasts 1001 units.
    private static let rate = FrameRate(30000, per: 1001)

    private static func packet(
        _ tick: Int64, decode: Int64? = nil, bytes: [UInt8] = [1], duration: Int64 = 1001, offset: Int64 = 0
    ) -> EncodedPacket {
        EncodedPacket(
            bytes: SharedBytes(bytes), presentation: tick * 1001 + offset, decode: (decode ?? tick) * 1001,
            duration: duration, isKey: tick == 0)
    }

    @Test("packets in order are released immediately, each with its tick")
    func inOrder() throws {
        var packets = PacketReorderBuffer(of: "program.mp4", rate: Self.rate)
        for tick in Int64(0)..<5 {
            let written = try #require(try packets.add(Self.packet(tick), of: tick..<5))
            #expect(written.packets.map(\.presentation) == [tick * 1001])
            #expect(written.through == tick)
        }
    }

    @Test("a reordered frame waits for the frames before it, and all are released in decoding order")
    func reordered() throws {
        var packets = PacketReorderBuffer(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(0, decode: -2), of: 0..<8) != nil)
        #expect(try packets.add(Self.packet(3, decode: -1), of: 1..<8) == nil)
        #expect(try packets.add(Self.packet(1, decode: 0), of: 1..<8) == nil)
        let written = try #require(try packets.add(Self.packet(2, decode: 1), of: 1..<8))
        #expect(written.packets.map(\.presentation) == [3003, 1001, 2002])
        #expect(written.through == 3)
    }

    @Test(
        "an invalid packet is an encoder failure",
        arguments: [
            packet(1, bytes: []), packet(0), packet(9), packet(-1), packet(1, offset: 1),
            packet(1, duration: 0),
            packet(1, duration: .max), packet(1, decode: 2), packet(1, decode: 0), packet(1, decode: -99),
        ])
    func impossible(packet: EncodedPacket) throws {
        var packets = PacketReorderBuffer(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(0), of: 0..<8) != nil)
        let error = #expect(throws: EncodingError.self) { try packets.add(packet, of: 1..<8) }
        #expect(error?.description.contains("program.mp4") == true)
    }

    @Test("a duplicate frame is an encoder failure, even while other frames are pending")
    func twice() throws {
        var packets = PacketReorderBuffer(of: "program.mp4", rate: Self.rate)
        #expect(try packets.add(Self.packet(2, decode: -2), of: 0..<8)?.packets == nil)
        #expect(throws: EncodingError.self) { try packets.add(Self.packet(2, decode: -1), of: 0..<8) }
    }

    @Test("frames that the encoder never returns are reported, at the end or when too many are pending")
    func missing() throws {
        let packets = PacketReorderBuffer(of: "program.mp4", rate: Self.rate)
        try packets.check(0..<200, isLast: false)
        #expect(throws: EncodingError.self) { try packets.check(0..<300, isLast: false) }
        let error = #expect(throws: EncodingError.self) { try packets.check(7..<8, isLast: true) }
        #expect(error?.description.contains("tick 7") == true)
        try packets.check(8..<8, isLast: true)
    }
}
