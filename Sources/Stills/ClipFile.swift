internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
internal import MulticamSystem

/// Writes the frames around a still, and the matching audio, as a QuickTime movie.
///
/// JPEG frames come directly from the camera or are encoded from raw frames. Each JPEG frame is placed at the
/// tick of the camera's rate nearest to its capture time, with at most one frame per tick. H.264 frames are
/// copied with their capture times. An edit list hides frames that are needed only to decode later frames. If
/// a frame is missing, the previous frame is shown longer.
package struct ClipFile {
    private let still: Still
    private let firstVisibleFrame: CapturedFrame
    private let frames: [CapturedFrame]
    private let isH264: Bool

    /// Describes the clip of a still, or returns `nil` if the still has no clip.
    init?(_ still: Still) {
        guard let first = still.clip.dropFirst(still.leadCount).first else { return nil }
        self.still = still
        firstVisibleFrame = first
        isH264 = first.pixel == .h264
        frames = still.clip.filter { $0.size == first.size && $0.pixel == first.pixel }
    }

    /// Writes the file, which must not exist yet.
    ///
    /// - Parameters:
    ///   - place: The file to write.
    ///   - codecs: The codec factory, which creates the audio encoder.
    /// - Throws: `StillError.file` if the file cannot be written, `.encoding` if the audio cannot be encoded.
    func write(to place: ContainedFile, with codecs: any CodecFactory) throws(StillError) {
        let sound: (parameters: StreamParameters, packets: [EncodedPacket], end: Int64)?
        do throws(EncodingError) {
            sound = try still.sound.map { sound throws(EncodingError) in try Self.encoded(sound, with: codecs)
            }
        } catch {
            throw .encoding(error)
        }
        var tracks = [MovieTrack.video(parameters, rotation: still.metadata.rotation, name: still.role)]
        if let sound { tracks.append(.audio(sound.parameters, name: still.sound?.role ?? "")) }
        let date = still.metadata.date.addingTimeInterval(
            (firstVisibleFrame.capturedAt - still.frame.capturedAt).inSeconds)
        do throws(FileError) {
            let movie = try MovieFile(place, kind: .mov, tracks: tracks, createdAt: date)
            var audio = (sound?.packets ?? [])[...]
            for packet in packets {
                // Frames and audio are interleaved by time, in the same way as the packets of a recording.
                while let next = audio.first,
                    Double(next.presentation) * Double(tracks[0].timeScale)
                        <= Double(packet.presentation) * Double(tracks[1].timeScale)
                {
                    try movie.append(next, to: 1)
                    audio.removeFirst()
                }
                try movie.append(packet, to: 0)
            }
            for packet in audio { try movie.append(packet, to: 1) }
            try movie.finish(ends: [nil] + (sound.map { [$0.end] } ?? []))
        } catch {
            throw .file(error)
        }
    }

    private var parameters: StreamParameters {
        var parameters = ownParameters
        parameters.pixelAspect = still.metadata.pixelAspect
        return parameters
    }

    private var ownParameters: StreamParameters {
        guard isH264, let key = frames.first(where: \.isKey) else {
            return StreamParameters(
                codec: .mjpeg, timeScale: still.rate.frames, size: firstVisibleFrame.size, rate: still.rate,
                color: firstVisibleFrame.color)
        }
        let setup = withExtendedLifetime(key) { Array(key.memory.bytes) }
        return StreamParameters(
            codec: .h264, timeScale: StreamParameters.captureTimeScale, setup: setup,
            size: firstVisibleFrame.size,
            rate: still.rate, color: firstVisibleFrame.color)
    }

    private var packets: [EncodedPacket] {
        let times =
            isH264 ? streamTimes : Self.ticks(of: frames, still.rate).map { $0 * still.rate.seconds }
        let last =
            isH264
            ? Self.scale.ticks(before: MediaTime(nanoseconds: still.rate.interval.count)) : still.rate.seconds
        return frames.enumerated().map { index, frame in
            let next = times.indices.contains(index + 1) ? times[index + 1] : times[index] + max(last, 1)
            return EncodedPacket(
                bytes: frame.memory, presentation: times[index], decode: times[index],
                duration: next - times[index], isKey: frame.isKey)
        }
    }

    private static let scale = FrameRate(StreamParameters.captureTimeScale)

    /// The time of each frame relative to the first visible frame, in units of 1/90 000 s. The times are
    /// strictly increasing.
    private var streamTimes: [Int64] {
        var last = Int64.min
        return frames.map { frame in
            let time = MediaTime(nanoseconds: (frame.capturedAt - firstVisibleFrame.capturedAt).count)
            last = max(
                last == .min ? .min : last + 1, time.ticks(perSecond: StreamParameters.captureTimeScale))
            return last
        }
    }

    /// Returns the tick of each frame. The ticks start at 0 and are strictly increasing.
    package static func ticks(of frames: [CapturedFrame], _ rate: FrameRate) -> [Int64] {
        guard let first = frames.first else { return [] }
        var last: Int64 = -1
        return frames.map { frame in
            let time = (frame.capturedAt - first.capturedAt).inSeconds
            last = max(last + 1, Int64(rounding: time * rate.perSecond))
            return last
        }
    }

    /// Encodes the audio of a clip as AAC at the session's sample rate. Also returns the end of the audio, as
    /// a number of samples.
    private static func encoded(
        _ sound: ClipSound, with codecs: any CodecFactory
    ) throws(EncodingError) -> (parameters: StreamParameters, packets: [EncodedPacket], end: Int64) {
        let channels = sound.format.channels
        let resampler = try codecs.makeResampler(from: sound.format, name: sound.role)
        let samples = try resampler.convert(sound.samples) + resampler.drain()
        let encoder = try codecs.makeAudioEncoder(channels: channels, bitrate: 160_000, name: sound.role)
        let packets = try encoder.encode(samples) + encoder.finish()
        return (encoder.parameters, packets, Int64(samples.count / channels))
    }
}
