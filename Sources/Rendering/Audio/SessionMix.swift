internal import FoundationEssentials
internal import Glibc
internal import Interchange
internal import Media
internal import Timing

/// Mixes the microphones of a recording again as the program mixed them: by the same gains over time, in the same blocks. Used by
/// one thread alone.
final class SessionMix {
    private struct Voice {
        let reader: SoundReader
        /// Linear gain of the voice from an instant on, in order.
        let gains: [(from: MediaTime, gain: Float)]
        /// The first of `gains` that does not hold yet.
        var next = 0
        /// Gain in the last block.
        var last: Float
    }

    private var voices: [Voice]
    /// Index since T0 of the first sample that is wanted.
    private let first: Int64
    /// Index since T0 of the next sample.
    private(set) var position: Int64
    private static let blockLength: Int64 = Int64(AudioFormat.sessionRate) / AudioGrid.blocks.frames

    /// Begins a mix.
    ///
    /// - Parameters:
    ///   - session: The recording. One without microphone tracks gives the audio of its program.
    ///   - folder: Path of the session folder.
    ///   - gains: Gains in decibels by role in place of those that the program had; microphones that are not named are not heard.
    ///   - start: Index since T0 of the first sample.
    init(_ session: RecordedSession, folder: String, gains: [String: Double]?, from start: Int64) {
        let isMixed = session.microphones.isEmpty
        let tracks =
            isMixed
            ? [session.program].compactMap(\.self).filter { $0.channels > 0 } : session.microphones
        first = start
        // Gains change over whole blocks.
        position = start / Self.blockLength * Self.blockLength
        voices = tracks.compactMap { track in
            var course: [(frame: Int64, decibels: Double?)] = [(0, 0)]
            if let gains, !isMixed {
                course = [(0, gains[track.role])]
            } else if !isMixed {
                course = session.gains(of: track.role)
            }
            let linear = course.map { change in
                (
                    from: session.rate.time(ofTick: change.frame),
                    gain: change.decibels.map { Float(pow(10, $0 / 20)) } ?? 0
                )
            }
            guard linear.contains(where: { $0.gain != 0 }) else { return nil }
            return Voice(
                reader: SoundReader(track, folder: folder), gains: linear, last: linear.first?.gain ?? 0)
        }
        for index in voices.indices { voices[index].last = gain(of: index, inBlockTo: position) }
    }

    /// Whether anything is heard at all.
    var hasAudio: Bool { !voices.isEmpty }
    /// What could not be read so far, as sentences.
    var faults: [String] { voices.compactMap(\.reader.fault) }

    /// Mixes the next samples, up to the end of a block of 20 ms: left and right, full scale ±1 and beyond.
    ///
    /// - Parameter end: Index since T0 at which the mix ends.
    /// - Returns: Interleaved samples; none at the end.
    func next(upTo end: Int64) -> [Float] {
        let blockEnd = (position / Self.blockLength + 1) * Self.blockLength
        let stop = min(end, blockEnd)
        guard stop > max(position, first) || (stop > position && stop == blockEnd) else { return [] }
        var sum = [Float](repeating: 0, count: Int(stop - position) * AudioGrid.mixChannels)
        for index in voices.indices {
            let last = voices[index].last
            // The recording's last block is cut, and its gain does not change.
            if stop == blockEnd { voices[index].last = gain(of: index, inBlockTo: blockEnd) }
            add(index, from: last, upTo: stop, into: &sum)
        }
        let early = Int(max(0, first - position)) * AudioGrid.mixChannels
        position = stop
        return early > 0 ? Array(sum[early...]) : sum
    }

    /// The gain that a block ends with: a change belongs to the block that ends after it.
    private func gain(of index: Int, inBlockTo end: Int64) -> Float {
        let time = AudioGrid.samples.time(ofTick: end)
        let gains = voices[index].gains
        while voices[index].next < gains.count, gains[voices[index].next].from < time {
            voices[index].next += 1
        }
        return gains[max(0, voices[index].next - 1)].gain
    }

    /// Adds a microphone's samples, whose gain changes evenly since a jump would be heard as a click.
    private func add(_ index: Int, from last: Float, upTo stop: Int64, into sum: inout [Float]) {
        let next = voices[index].last
        guard last != 0 || next != 0 else { return }
        let reader = voices[index].reader
        let samples = reader.samples(position..<stop)
        let channels = reader.channels
        let rise = (next - last) / Float(stop - position)
        samples.withUnsafeBufferPointer { samples in
            sum.withUnsafeMutableBufferPointer { sum in
                for frame in 0..<sum.count / AudioGrid.mixChannels {
                    let gain = last + rise * Float(frame + 1)
                    let place = frame * channels
                    guard channels > 2 else {
                        sum[2 * frame] += samples[place] * gain
                        sum[2 * frame + 1] += samples[place + channels - 1] * gain
                        continue
                    }
                    let mean = samples[place..<place + channels].reduce(0, +) / Float(channels)
                    sum[2 * frame] += mean * gain
                    sum[2 * frame + 1] += mean * gain
                }
            }
        }
    }
}
