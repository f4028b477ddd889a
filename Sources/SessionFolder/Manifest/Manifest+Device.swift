package import MulticamMedia
package import MulticamPlan
package import MulticamTiming

extension Manifest {
    /// A camera or a microphone in the recording, with the state of its clock.
    package struct Device: Sendable, Equatable, Codable {
        /// Kinds of content that make a recording useless: silence, a frozen picture, or a black picture.
        package enum Content: String, Sendable, Codable, CaseIterable {
            case silent, frozen, black
        }

        /// Role of the device in the profile, for example `desk`.
        package var role: String
        /// Kind of device: `camera` or `microphone`.
        package var kind: String
        /// Kind of device, a raw value of `SourceKind` such as `external`, `file` or `phone`; `nil` in older
        /// recordings.
        package var type: String? = nil
        /// Stable identity of the device: USB port, product and serial number.
        package var identity: String
        /// Human-readable name of the device.
        package var name: String
        /// Time when the device replaced another device of the same role, in nanoseconds since T0; `nil` for the
        /// initial device.
        package var from_ns: Int64?
        /// Format in which the device delivered frames or audio.
        package var format: Format
        /// Latency subtracted from each timestamp of a camera, in nanoseconds; `nil` for microphones.
        package var latency_ns: Int64?
        /// Origin of `latency_ns`: the profile, a calibration, or none. The value is `nil` for microphones.
        package var latency_source: CorrectionSource?
        /// Offset added to each timestamp of a microphone, in nanoseconds; `nil` for cameras.
        package var offset_ns: Int64?
        /// Origin of `offset_ns`: the profile, a calibration, or none. The value is `nil` for cameras.
        package var offset_source: CorrectionSource?
        /// Whether the sound server removed echo from the audio in the program. The microphone's own track is
        /// never processed. The value is `nil` for cameras and for microphones without voice processing.
        package var echo_cancellation: Bool? = nil
        /// Whether the sound server removed noise from the audio in the program. The microphone's own track
        /// is never processed. The value is `nil` for cameras and for microphones without voice processing.
        package var noise_suppression: Bool? = nil
        /// Role of the camera that shows the person speaking into this microphone; `nil` if unknown, and for cameras.
        package var camera: String? = nil
        /// Maximum error of the device's capture times in nanoseconds, as reported by the process that sends
        /// its data; `nil` for local devices.
        package var time_error_ns: Int64?
        /// Last state of the device's clock model relative to the session clock.
        package var clock: Clock
        /// Type of content if the device delivered no useful content during the entire recording: `silent`
        /// for digital silence from a microphone, `frozen` for identical frames from a camera, `black` for
        /// black frames; otherwise `nil`.
        package var content: Content? = nil
        /// File with one line of JSON per frame of this camera; `nil` if there is no such file.
        package var metadata: String?
        /// Controls that were set on this camera, with the values read back after the last change; `nil` if none were
        /// set.
        package var controls: [Control]? = nil

        package init(
            role: String, kind: String, identity: String, name: String, from_ns: Int64? = nil,
            format: Format,
            latency_ns: Int64? = nil, latency_source: CorrectionSource? = nil, offset_ns: Int64? = nil,
            offset_source: CorrectionSource? = nil, voiceProcessing: VoiceProcessing? = nil,
            timeError: Nanoseconds = .zero, clock: Clock,
            metadata: String? = nil, controls: [Control]? = nil
        ) {
            self.role = role
            self.kind = kind
            self.identity = identity
            self.name = name
            self.from_ns = from_ns
            self.format = format
            self.latency_ns = latency_ns
            self.latency_source = latency_source
            self.offset_ns = offset_ns
            self.offset_source = offset_source
            echo_cancellation = voiceProcessing?.echoCancellation
            noise_suppression = voiceProcessing?.noiseSuppression
            time_error_ns = timeError > .zero ? timeError.count : nil
            self.clock = clock
            self.metadata = metadata
            self.controls = controls
        }
    }

    /// A control that was set on a camera.
    package struct Control: Sendable, Equatable, Codable {
        /// Name of the control.
        package var name: String
        /// Value that was requested.
        package var asked: Int64
        /// Value that was read back from the camera; `nil` if reading failed.
        package var value: Int64?
        /// Origin of the value: the user, a saved preset, the rate lock, or matching with another camera.
        package var origin: ControlRequest.Origin
        /// Reason why the camera rejected the value; `nil` if the camera accepted the value.
        package var refused: String?

        package init(
            name: String, asked: Int64, value: Int64? = nil, origin: ControlRequest.Origin,
            refused: String? = nil
        ) {
            self.name = name
            self.asked = asked
            self.value = value
            self.origin = origin
            self.refused = refused
        }
    }

    /// Format of a device. A camera has `pixel`, `width`, `height` and `rate`; a microphone has `channels` and `rate`.
    package struct Format: Sendable, Equatable, Codable {
        /// Pixel format of a camera, for example `mjpeg`; `nil` for microphones.
        package var pixel: String?
        /// Width of the camera's frames in pixels; `nil` for microphones.
        package var width: Int?
        /// Height of the camera's frames in pixels; `nil` for microphones.
        package var height: Int?
        /// Number of channels of a microphone; `nil` for cameras.
        package var channels: Int?
        /// Frames per second of a camera, or samples per second of a microphone.
        package var rate: Double

        package init(
            pixel: String? = nil, width: Int? = nil, height: Int? = nil, channels: Int? = nil, rate: Double
        ) {
            self.pixel = pixel
            self.width = width
            self.height = height
            self.channels = channels
            self.rate = rate
        }
    }

    /// State of a device's clock model when the manifest was written.
    package struct Clock: Sendable, Equatable, Codable {
        /// Source of the timestamps of the device's frames or audio; `nil` if the driver provided the
        /// timestamps.
        package var source: TimeOrigin? = nil
        /// Maximum error of the capture times in microseconds, as reported by the timestamp source; `nil` if
        /// the driver provided the timestamps.
        package var error_us: Double? = nil
        /// Rate error of the device in parts per million; positive if it is faster than its nominal rate.
        package var ppm: Double
        /// Typical deviation of a timestamp from the clock's regression line (root mean square), in
        /// microseconds.
        package var jitter_us: Double
        /// Standard error of the clock's regression line at the most recent timestamp, in microseconds. This
        /// is the accuracy of the clock model.
        package var residual_us: Double
        /// Whether the clock model was reliable at the end: its residual was below 1 ms, and the last
        /// timestamps were close to its regression line.
        package var locked: Bool
        /// Number of restarts of the clock model, for example after a jump of the device's clock.
        package var restarts: Int
        /// Number of timestamps that were not later than the previous one, including impossible timestamps
        /// that were excluded from the clock model.
        package var non_monotonic: Int
    }
}

extension Manifest.Clock {
    /// Maximum error of the device's capture times, in microseconds, according to the clock model and to the
    /// timestamp source.
    package var uncertainty_us: Double { max(residual_us, error_us ?? 0) }

    /// Creates the state of a clock model, rounded to 0.01 ppm and 0.1 µs. Impossible timestamps were excluded from the
    /// model and are only counted.
    ///
    /// - Parameters:
    ///   - model: The clock model of the device.
    ///   - corrected: Number of impossible timestamps that were excluded.
    ///   - origin: Source of the timestamps; `nil` if the driver provided them.
    ///   - error: Maximum error of the timestamps; used only if `origin` is set.
    package init(
        _ model: DeviceClock, corrected: Int = 0, dated origin: TimeOrigin? = nil,
        within error: Nanoseconds = .zero
    ) {
        source = origin
        error_us = origin.map { _ in Self.rounded(Double(error.count) / 1000, 10) }
        ppm = Self.rounded(model.partsPerMillion, 100)
        jitter_us = Self.rounded(Double(model.jitter.count) / 1000, 10)
        residual_us = Self.rounded(Double(model.residual.count) / 1000, 10)
        locked = model.isLocked
        restarts = model.restarts
        non_monotonic = model.nonMonotonic + corrected
    }

    /// Rounds `value` to a multiple of 1 ÷ `parts`. Adding 0 converts −0 to 0.
    package static func rounded(_ value: Double, _ parts: Double) -> Double {
        (value * parts).rounded() / parts + 0
    }
}
