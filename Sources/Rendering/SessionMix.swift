internal import FoundationEssentials
internal import Glibc
internal import MulticamEncoders
internal import MulticamEncoding
internal import MulticamInterchange
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming

/// Mixes the microphones of a recording in the same way as the program was mixed: in the same blocks and with
/// the same gain changes. Not thread-safe.
final class SessionMix {
    private struct Voice {
        let reader: SoundReader
        /// Linear gains of the microphone with their start times, in order.
        let gains: [(from: MediaTime, gain: Float)]
        /// Index of the first element of `gains` that isn't in effect yet.
        var next = 0
        /// Gain at the end of the last block.
        var last: Float
        /// The microphone's audio after its filters.
        let sound: ProcessedSound
        /// The filters with their start times, in order.
        let processing: [(from: MediaTime, processing: SoundProcessing)]
    }

    private var voices: [Voice]
    /// The mix after its filters. The end of this sound is the index of the next sample to mix.
    private let mix: ProcessedSound
    private let mixProcessing: [(from: MediaTime, processing: SoundProcessing)]
    /// Index of the first requested sample, counted from T0.
    private let first: Int64
    /// Index of the next sample, counted from T0.
    private(set) var position: Int64
    private static let blockLength: Int64 = Int64(AudioFormat.sessionRate) / AudioGrid.blocks.frames

    /// Creates a mix of a recording.
    ///
    /// - Parameters:
    ///   - session: The recording to mix. If the recording doesn't have microphone tracks, the audio of its
    ///     program is used.
    ///   - folder: Path of the session folder.
    ///   - gains: Microphone gains in decibels, by role; `nil` to use the program's gains. Microphones that
    ///     aren't listed are muted.
    ///   - processing: Filters of the microphones by role, and of the mix (`program`); `nil` to use the program's filters.
    ///   - start: Index of the first sample, counted from T0.
    init(
        _ session: RecordedSession, folder: String, gains: [String: Double]?,
        processing: [String: SoundProcessing]? = nil,
        from start: Int64
    ) {
        let isMixed = session.microphones.isEmpty
        let tracks =
            isMixed
            ? [session.program].compactMap(\.self).filter { $0.channels > 0 } : session.microphones
        first = start
        // Mixing starts at a block boundary, because a gain ramp spans a complete block.
        let begin = start / Self.blockLength * Self.blockLength
        position = begin
        let codecs = Codecs()
        mix = ProcessedSound("the mix", channels: AudioGrid.mixChannels, from: begin, codecs: codecs)
        func filters(of role: String) -> [(from: MediaTime, processing: SoundProcessing)] {
            guard let processing else { return isMixed ? [] : session.processing(of: role) }
            return [(.zero, processing[role] ?? .off)]
        }
        mixProcessing = filters(of: SessionPlan.programOwner)
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
            let reader = SoundReader(track, folder: folder)
            return Voice(
                reader: reader, gains: linear, last: linear.first?.gain ?? 0,
                sound: ProcessedSound(
                    track.role, channels: reader.channels > 2 ? 1 : reader.channels, from: begin,
                    codecs: codecs),
                processing: filters(of: track.role))
        }
        for index in voices.indices { voices[index].last = gain(of: index, inBlockTo: position) }
    }

    /// Whether the recording contains any audio to mix.
    var hasAudio: Bool { !voices.isEmpty }
    /// One sentence for each read error, and for each failure of filters, so far.
    var faults: [String] { voices.compactMap(\.reader.fault) + filterFaults }
    private var filterFaults: [String] = []

    /// Mixes the next samples up to the end of the current 20 ms block. The result is stereo with a full
    /// scale of ±1, and isn't clipped.
    ///
    /// - Parameter end: End of the mix, as an index counted from T0.
    /// - Returns: Interleaved samples; empty at the end of the mix.
    func next(upTo end: Int64) -> [Float] {
        let blockEnd = (position / Self.blockLength + 1) * Self.blockLength
        let stop = min(end, blockEnd)
        guard stop > max(position, first) || (stop > position && stop == blockEnd) else { return [] }
        while mix.available < stop { mixBlock() }
        let samples = mix.dequeue(upTo: stop)
        let early = Int(max(0, first - position)) * AudioGrid.mixChannels
        position = stop
        return early > 0 ? Array(samples[early...]) : samples
    }

    /// Mixes the next block.
    private func mixBlock() {
        let range = mix.end..<mix.end + Self.blockLength
        var sum = [Float](repeating: 0, count: Int(Self.blockLength) * AudioGrid.mixChannels)
        for index in voices.indices {
            let last = voices[index].last
            voices[index].last = gain(of: index, inBlockTo: range.upperBound)
            add(index, from: last, range, into: &sum)
        }
        setProcessing(of: mix, mixProcessing)
        mix.append(sum)
        for sound in voices.map(\.sound) + [mix] { filterFaults += sound.dequeueFailures() }
    }

    private func setProcessing(
        of sound: ProcessedSound, _ all: [(from: MediaTime, processing: SoundProcessing)]
    ) {
        let time = AudioGrid.samples.time(ofTick: sound.end + Self.blockLength)
        sound.setProcessing(all.last { $0.from < time }?.processing ?? .off)
    }

    /// Returns the gain at the end of a block. A gain change takes effect in the block that contains the time
    /// of the change.
    private func gain(of index: Int, inBlockTo end: Int64) -> Float {
        let time = AudioGrid.samples.time(ofTick: end)
        let gains = voices[index].gains
        while voices[index].next < gains.count, gains[voices[index].next].from < time {
            voices[index].next += 1
        }
        return gains[max(0, voices[index].next - 1)].gain
    }

    /// Adds the samples of a microphone to a block of the mix. Gain changes are applied as a linear ramp, because a
    /// sudden change would be audible as a click.
    private func add(_ index: Int, from last: Float, _ range: Range<Int64>, into sum: inout [Float]) {
        let (next, sound) = (voices[index].last, voices[index].sound)
        while sound.available < range.upperBound {
            setProcessing(of: sound, voices[index].processing)
            sound.append(
                read(voices[index].reader, sound.end..<sound.end + Self.blockLength, channels: sound.channels)
            )
        }
        let samples = sound.dequeue(upTo: range.upperBound)
        guard last != 0 || next != 0 else { return }
        let channels = sound.channels
        let rise = (next - last) / Float(range.count)
        samples.withUnsafeBufferPointer { samples in
            sum.withUnsafeMutableBufferPointer { sum in
                for frame in 0..<sum.count / AudioGrid.mixChannels {
                    let gain = last + rise * Float(frame + 1)
                    let place = frame * channels
                    sum[2 * frame] += samples[place] * gain
                    sum[2 * frame + 1] += samples[place + channels - 1] * gain
                }
            }
        }
    }

    /// Reads samples with 1 or 2 channels: more than two channels are averaged.
    private func read(_ reader: SoundReader, _ range: Range<Int64>, channels: Int) -> [Float] {
        let samples = reader.samples(range)
        guard reader.channels != channels else { return samples }
        let step = reader.channels
        let mono = stride(from: 0, through: samples.count - step, by: step).map { place in
            samples[place..<place + step].reduce(0, +) / Float(step)
        }
        return channels == 1 ? mono : mono.flatMap { [$0, $0] }
    }
}

/// Reads samples of one microphone track, which may consist of several files, by their position in the
/// recording. Not thread-safe.
///
/// Silence replaces audio that wasn't recorded or can't be read. `fault` states the reason.
final class SoundReader {
    private let track: SessionTrack
    private let folder: String
    private let isProgram: Bool
    private var part: SessionPart?
    private var reader: TrackReader?
    /// Interleaved samples that were read in advance. The first sample has the index `bufferStart`.
    private var buffer: [Float] = []
    /// Index of the first sample in `buffer`, counted from T0.
    private var bufferStart: Int64 = 0
    private var isAtEnd = false
    /// Number of channels in the samples that `samples(_:)` returns.
    private(set) var channels: Int
    /// A sentence that states why samples are missing; `nil` if no samples are missing.
    private(set) var fault: String?

    private static let rate = Int64(AudioFormat.sessionRate)
    /// Number of samples to read before a position after seeking. An AAC packet can be decoded correctly only
    /// after the previous packets.
    private static let preroll: Int64 = 4096
    /// Maximum number of samples that may be missing at the end of a file: one AAC packet and its priming.
    private static let tolerance: Int64 = 4096
    /// Distance in samples below which sequential reading is faster than seeking.
    private static let nearby: Int64 = 48_000

    /// Creates a reader. Files are opened later, when they are needed.
    ///
    /// - Parameters:
    ///   - track: A microphone track, or the program, whose audio is then read.
    ///   - folder: Path of the session folder.
    init(_ track: SessionTrack, folder: String) {
        self.track = track
        self.folder = folder
        isProgram = track.kind == .program
        channels = min(max(1, track.channels), 8)
    }

    /// Reads the samples in a range.
    ///
    /// - Parameter range: Range of sample indices, counted from T0.
    /// - Returns: The interleaved samples of all channels.
    func samples(_ range: Range<Int64>) -> [Float] {
        var result: [Float] = []
        for part in track.parts {
            let own = range.clamped(to: part.samples)
            guard !own.isEmpty else { continue }
            do throws(EncodingError) {
                try open(part)
                add(silenceUpTo: own.lowerBound - range.lowerBound, to: &result)
                try read(own, of: part, into: &result)
            } catch {
                fault = fault ?? error.description
                (reader, isAtEnd) = (nil, true)
            }
        }
        add(silenceUpTo: Int64(range.count), to: &result)
        return result
    }

    private func add(silenceUpTo count: Int64, to samples: inout [Float]) {
        let missing = Int(count) * channels - samples.count
        if missing > 0 { samples.append(contentsOf: repeatElement(0, count: missing)) }
    }

    private func open(_ part: SessionPart) throws(EncodingError) {
        guard part != self.part else { return }
        self.part = part
        (buffer, bufferStart, isAtEnd) = ([], part.samples.lowerBound, false)
        let reader = try TrackReader(
            part.file, in: folder, stream: part.stream + (isProgram ? 1 : 0), media: .audio)
        guard Int64(reader.sampleRate) == Self.rate, (1...8).contains(reader.channels) else {
            throw EncodingError(
                subject: part.file, operation: "reading",
                reason:
                    "the file has \(reader.channels) channels at \(reader.sampleRate) Hz; expected 1 to 8 channels at \(Self.rate) Hz"
            )
        }
        channels = reader.channels
        self.reader = reader
    }

    private func read(
        _ range: Range<Int64>, of part: SessionPart, into result: inout [Float]
    ) throws(EncodingError) {
        let reached = bufferStart + Int64(buffer.count / channels)
        if range.lowerBound < bufferStart || range.lowerBound > reached + Self.nearby {
            let start = max(0, range.lowerBound - part.samples.lowerBound - Self.preroll)
            try reader?.seek(to: FrameRate(Self.rate).time(ofTick: start))
            (buffer, bufferStart, isAtEnd) = ([], range.lowerBound, false)
        }
        drop(before: range.lowerBound)
        while bufferStart + Int64(buffer.count / channels) < range.upperBound, !isAtEnd {
            guard let (samples, time) = try reader?.nextSamples() else {
                isAtEnd = true
                let reached = bufferStart + Int64(buffer.count / channels)
                if reached + Self.tolerance < part.samples.upperBound {
                    fault = fault ?? "\(part.file): the file ends too early. The rest is silence."
                }
                break
            }
            append(samples, at: part.samples.lowerBound + time.ticks(perSecond: Self.rate))
            drop(before: range.lowerBound)
        }
        let count = min(range.count * channels, buffer.count)
        result.append(contentsOf: buffer[..<count])
        buffer.removeFirst(count)
        bufferStart += Int64(count / channels)
    }

    /// Appends samples at their position. Samples that were read before are skipped, and gaps are filled with
    /// silence.
    private func append(_ samples: [Float], at start: Int64) {
        let end = bufferStart + Int64(buffer.count / channels)
        if start > end { buffer.append(contentsOf: repeatElement(0, count: Int(start - end) * channels)) }
        let early = min(Int(max(0, end - start)) * channels, samples.count)
        buffer.append(contentsOf: samples[early...])
    }

    private func drop(before index: Int64) {
        let count = min(max(0, Int(index - bufferStart)) * channels, buffer.count)
        buffer.removeFirst(count)
        bufferStart = buffer.isEmpty ? max(bufferStart, index) : bufferStart + Int64(count / channels)
    }
}

extension SessionPart {
    /// Range of sample indices of the part, counted from T0.
    fileprivate var samples: Range<Int64> {
        let rate = Int64(AudioFormat.sessionRate)
        return from.ticks(perSecond: rate)..<max(from, to).ticks(perSecond: rate)
    }
}
