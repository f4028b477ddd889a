import MulticamInputs
import MulticamMedia

@testable import MulticamPublishing

extension PublishedItem {
    /// Returns an H.264 packet of the given size, presented at the given time in milliseconds.
    static func video(
        _ milliseconds: Int64, isKey: Bool, bytes: Int = 100, setup: [UInt8] = [0, 0, 0, 1, 0x67]
    ) -> Self {
        let time = ClockTime(nanoseconds: milliseconds * 1_000_000)
        return .video(
            PublishedPacket(
                bytes: SharedBytes([UInt8](repeating: 7, count: bytes)), presentedAt: time, decodedAt: time,
                duration: .milliseconds(33), isKey: isKey,
                parameters: StreamParameters(
                    codec: .h264, timeScale: 30, setup: setup, size: FrameSize(width: 64, height: 48),
                    rate: FrameRate(30, per: 1))))
    }

    /// Returns an AAC packet, presented at the given time in milliseconds.
    static func audio(_ milliseconds: Int64) -> Self {
        let time = ClockTime(nanoseconds: milliseconds * 1_000_000)
        return .audio(
            PublishedPacket(
                bytes: SharedBytes([1, 2, 3]), presentedAt: time, decodedAt: time,
                duration: .milliseconds(21),
                isKey: true,
                parameters: StreamParameters(
                    codec: .aac, timeScale: 48_000, setup: [0x11, 0x90],
                    audio: AudioFormat(rate: 48_000, channels: 2))))
    }

    /// Returns a raw frame with the given sequence number.
    static func frame(_ number: Int64) -> Self {
        let size = FrameSize(width: 64, height: 48)
        let (planes, count) = FramePlane.packed(.nv12, size)
        return .frame(
            CapturedFrame(
                pixel: .nv12, size: size, color: .bt709Limited, capturedAt: ClockTime(nanoseconds: number),
                sequence: number, memory: SharedBytes([UInt8](repeating: 0, count: count)), planes: planes))
    }

    /// The time in milliseconds, or the sequence number of a raw frame.
    var mark: Int64 {
        switch self {
        case .video(let packet), .audio(let packet): packet.presentedAt.nanoseconds / 1_000_000
        case .frame(let frame): frame.sequence
        case .samples(let slice): slice.firstSample
        }
    }
}
