import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamCapture

@Suite("USB descriptors")
struct USBDescriptionTests {
    @Test("reads a webcam's alternate settings with their bytes per microframe")
    func webcam() throws {
        let description = try #require(USBDescription(USBBytes.webcam()))
        #expect(description.version == 0x0200)
        #expect(description.hasVideo)
        let settings = try #require(description.videoStreams[1])
        #expect(settings.map(\.alternate) == [0, 1, 2, 3, 4, 5, 6])
        let bytes = settings.map { $0.reservations(at: .high).map(\.bytes) }
        #expect(bytes == [[], [192], [512], [1024], [1600], [2048], [3072]])
        #expect(settings[4].endpoints.first?.packets == 2)
        #expect(settings[4].endpoints.first?.isInput == true)
        #expect(description.settings.first { $0.isVideoControl }?.streamingInterfaces == [1])
        let audio = try #require(description.setting(3, alternate: 1)?.reservations(at: .high).first)
        #expect(audio.bytes == 192 && audio.microframes == 8)
    }

    @Test("reads the frame source from the input terminals of the video control interface only")
    func inputs() throws {
        var device = USBBytes()
        device.interface(0, classCode: 14, subclass: 1)
        device.videoHeader(streaming: [1])
        // The device has a composite input and a truncated descriptor.
        device.raw([8, 0x24, 2, 1, 0x01, 0x04, 0, 0])
        device.raw([7, 0x24, 2, 1, 0x01, 0x02, 0])
        device.interface(2, classCode: 1, subclass: 1)
        // The input terminal of a microphone belongs to another class.
        device.raw([12, 0x24, 2, 1, 0x01, 0x02, 0, 1, 0, 0, 0, 0])
        let description = try #require(USBDescription(device.bytes))
        #expect(description.settings.map(\.inputTerminals) == [[0x0401], []])
    }

    @Test("reads the bandwidth from the endpoint companion at SuperSpeed")
    func superSpeed() throws {
        let description = try #require(USBDescription(USBBytes.superSpeedCamera()))
        let settings = try #require(description.videoStreams[1])
        #expect(
            settings.map { $0.reservations(at: .superSpeed).map(\.bytes) } == [
                [], [1024], [16_384], [49_152],
            ])
        // At a USB 2 port, the device would have different descriptors. Without a companion descriptor, the
        // packet size is used.
        #expect(settings[1].reservations(at: .high).map(\.bytes) == [1024])
    }

    @Test("prefers a SuperSpeedPlus companion to the one before it")
    func superSpeedPlus() throws {
        var device = USBBytes(version: 0x0320)
        device.interface(1, alternate: 1, classCode: 14, subclass: 2, endpoints: 1)
        device.isochronous(size: 1024)
        device.companion(burst: 15, mult: 0x80, bytesPerInterval: 1)
        device.raw([8, 0x31, 0, 0, 0x00, 0x80, 0x01, 0x00])
        let setting = try #require(USBDescription(device.bytes)?.setting(1, alternate: 1))
        #expect(setting.endpoints.map(\.superSpeedBytes) == [98_304])
    }

    @Test("reads only the first configuration")
    func configurations() throws {
        var device = USBBytes()
        device.interface(0, classCode: 3, subclass: 1)
        device.raw([9, 2, 0, 0, 1, 2, 0, 0x80, 250])
        device.interface(0, classCode: 14, subclass: 1)
        let description = try #require(USBDescription(device.bytes))
        #expect(description.settings.map(\.classCode) == [3])
        #expect(!description.hasVideo)
    }

    @Test("parses any bytes without a trap")
    func anyBytes() {
        var generator = SeededBytes(seed: 7)
        let good = USBBytes.webcam() + USBBytes.superSpeedCamera()
        for length in 0..<good.count { _ = USBDescription(good.prefix(length)) }
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<generator.below(20) {
                bytes[generator.below(bytes.count)] = UInt8(generator.below(256))
            }
            let description = USBDescription(bytes)
            for setting in description?.settings ?? [] {
                for speed in USBSpeed.allCases {
                    for reservation in setting.reservations(at: speed) {
                        #expect(reservation.microframes >= 1 && reservation.packets >= 1)
                    }
                }
            }
            _ = USBCapabilities.includesSuperSpeed(bytes)
        }
        #expect(USBDescription([]) == nil)
        #expect(USBDescription([UInt8](repeating: 0, count: 100)) == nil)
        #expect(USBDescription([UInt8](repeating: 0xFF, count: 70_000)) == nil)
    }

    @Test("reads SuperSpeed support from the BOS descriptors")
    func capabilities() {
        #expect(USBCapabilities.includesSuperSpeed(USBBytes.capabilities([2, 3])))
        #expect(!USBCapabilities.includesSuperSpeed(USBBytes.capabilities([2])))
        #expect(!USBCapabilities.includesSuperSpeed([]))
        #expect(!USBCapabilities.includesSuperSpeed([5, 0x0F, 5, 0, 1, 0, 0x10, 3]))
    }
}

/// Generates random numbers from a fixed seed.
private struct SeededBytes {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
