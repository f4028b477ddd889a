import Foundation
public import MulticamKit

/// A custom microphone: a tone of 440 Hz at a quarter of full scale, in slices of 10 ms.
public final class ToneMicrophone: MicrophoneSource {
    public let format = AudioFormat(rate: 48_000, channels: 1)
    public let deliveryDelay = Nanoseconds.milliseconds(20)
    public let device = CaptureDevice.ownMicrophone(named: "tone")
    private let thread = PacedThread(named: "tone")

    public init() {}

    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) throws(DeviceError) {
        let format = format
        try thread.start(on: clock, every: .milliseconds(10)) { number, time in
            let first = number * 480
            let samples = (first..<first + 480).map { Float(sin(2 * .pi * 440 * Double($0) / 48_000) / 4) }
            receive(
                .audio(CapturedAudio(format: format, capturedAt: time, firstSample: first, samples: samples)))
        }
    }

    public func stop() { thread.stop() }
}
