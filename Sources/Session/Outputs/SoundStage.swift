internal import Media

/// All microphones and the mix of the program's sound, advanced in blocks of 20 ms. Timeline's thread only.
final class SoundStage {
    /// The grid of blocks.
    static let rate = FrameRate(50, per: 1)
    /// The program's sound has two channels; one microphone's single channel goes to both.
    static let mixChannels = 2

    let microphones: [MicrophoneTrack]
    private let mix: [Int]
    private let encoder: SoundEncoderLane?
    private var position: Int64 = 0

    /// - Parameters:
    ///   - microphones: The tracks of all, whether mixed or not.
    ///   - mix: Indices of the microphones that the program is mixed of.
    ///   - encoder: Takes the mix; `nil` for a program without sound.
    init(microphones: [MicrophoneTrack], mix: [Int], encoder: SoundEncoderLane?) {
        self.microphones = microphones
        self.mix = mix
        self.encoder = encoder
    }

    var encoderFailure: EncodingError? { encoder?.failure }

    /// Brings everything up to sample `end` of the tracks.
    func advance(to end: Int64) {
        guard end > position else { return }
        let slices = microphones.map { $0.advance(to: end) }
        if let encoder { encoder.encode(mixed(slices, frames: Int(end - position))) }
        position = end
    }

    func finish(at end: MediaTime) {
        for microphone in microphones { microphone.finish(at: end) }
        encoder?.finish()
    }

    func joinEncoder() { encoder?.join() }

    private func mixed(_ slices: [[Float]], frames: Int) -> [Float] {
        var sum = [Float](repeating: 0, count: frames * Self.mixChannels)
        for index in mix {
            let microphone = microphones[index]
            let step = microphone.channels
            let right = step > 1 ? 1 : 0
            slices[index].withUnsafeBufferPointer { slice in
                sum.withUnsafeMutableBufferPointer { sum in
                    for frame in 0..<frames {
                        sum[2 * frame] += slice[frame * step] * microphone.gain
                        sum[2 * frame + 1] += slice[frame * step + right] * microphone.gain
                    }
                }
            }
        }
        return sum.map { min(max($0, -1), 1) }
    }
}
