public import Media

/// The audio of a clip around a still: one microphone's, from the clip's first shown frame on.
public struct ClipSound: Sendable, Equatable {
    /// The microphone's role.
    public let role: String
    /// The rate and the channels of the samples, at most two channels.
    public let format: AudioFormat
    /// The samples, interleaved, full scale ± 1; silence stands where audio is missing.
    public let samples: [Float]

    /// Creates the audio of a clip; each parameter sets the property of its name.
    public init(role: String, format: AudioFormat, samples: [Float]) {
        self.role = role
        self.format = format
        self.samples = samples
    }
}

extension ClipSound {
    /// Puts a microphone's slices to their places in a clip.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - slices: The slices in the order of capture, all in one format. Each run of them that the device counted on is
    ///     dated by the middle one of its time stamps, which are not exact.
    ///   - pick: The channels to take, from 0; empty for the first two, or the only one.
    ///   - offset: Is added to each capture time.
    ///   - start: The capture time of the clip's first sample.
    ///   - length: The length of the clip.
    package init?(
        role: String, slices: [CapturedAudio], pick: [Int], offset: Nanoseconds, from start: ClockTime,
        length: Nanoseconds
    ) {
        guard let format = slices.first?.format, length > .zero else { return nil }
        let wanted = pick.isEmpty ? Array(0..<format.channels) : pick.filter { $0 < format.channels }
        let channels = Array(wanted.prefix(2))
        guard !channels.isEmpty else { return nil }
        let rate = FrameRate(Int64(format.rate))
        let frameCount = Int(rate.ticks(before: MediaTime(nanoseconds: length.count)))
        var samples = [Float](repeating: 0, count: frameCount * channels.count)
        for run in Self.runs(slices) {
            let origins = run.map {
                $0.capturedAt + offset
                    - Nanoseconds(rate.time(ofTick: $0.firstSample - run[0].firstSample).nanoseconds)
            }.sorted()
            let distance = (origins[origins.count / 2] - start).inSeconds
            let place = Int64(rounding: distance * Double(format.rate)) - run[0].firstSample
            for slice in run {
                let picked = slice.samples(of: channels)
                for frame in 0..<slice.frameCount {
                    let index = Int(place + slice.firstSample) + frame
                    guard index >= 0, index < frameCount else { continue }
                    for channel in channels.indices {
                        samples[index * channels.count + channel] = picked[frame * channels.count + channel]
                    }
                }
            }
        }
        self.init(
            role: role, format: AudioFormat(rate: format.rate, channels: channels.count), samples: samples)
    }

    /// The slices as runs in which the device's count only rises, as far as time has risen with it.
    private static func runs(_ slices: [CapturedAudio]) -> [[CapturedAudio]] {
        slices.reduce(into: []) { runs, slice in
            guard let last = runs.last?.last else {
                runs.append([slice])
                return
            }
            let counted = Double(slice.firstSample - last.firstSample) / Double(slice.format.rate)
            let elapsed = (slice.capturedAt - last.capturedAt).inSeconds
            if slice.firstSample > last.firstSample, abs(counted - elapsed) < 0.2 {
                runs[runs.count - 1].append(slice)
            } else {
                runs.append([slice])
            }
        }
    }
}
