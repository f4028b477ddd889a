public import Media
public import Plan
package import Timing

extension Manifest {
    /// A camera or a microphone of the recording, with the state of its clock.
    public struct Device: Sendable, Equatable, Codable {
        /// Role of the device in the profile, for example `desk`.
        public var role: String
        /// `camera` or `microphone`.
        public var kind: String
        /// Stable identity of the device: USB port, product and serial number.
        public var identity: String
        /// Device name as people know it.
        public var name: String
        /// When the device took the place of another one of the same role, in nanoseconds since T0; `nil` from the beginning.
        public var from_ns: Int64?
        /// Format in which the device delivered frames or audio.
        public var format: Format
        /// Latency subtracted from each time stamp of a camera, in nanoseconds; `nil` for microphones.
        public var latency_ns: Int64?
        /// Where `latency_ns` comes from: the profile, a calibration, or nowhere. `nil` for microphones.
        public var latency_source: CorrectionSource?
        /// Offset added to each time stamp of a microphone, in nanoseconds; `nil` for cameras.
        public var offset_ns: Int64?
        /// Where `offset_ns` comes from: the profile, a calibration, or nowhere. `nil` for cameras.
        public var offset_source: CorrectionSource?
        /// Echo and noise that the sound server removed for the program, not for the own track; `nil` for cameras.
        public var voice: VoiceSettings? = nil
        /// Role of the camera that shows who speaks into this microphone; `nil` where it is not known, and for cameras.
        public var camera: String? = nil
        /// How far off the device's capture times may be, in nanoseconds, as the process that sends it says; `nil` for others.
        public var time_error_ns: Int64?
        /// Model of the device's clock against the session clock, as it was last.
        public var clock: Clock
        /// File with one line of JSON per frame of this camera; `nil` where none is written.
        public var metadata: String?
        /// Controls that were set on this camera, with the values read back when they were last set; `nil` where none was set.
        public var controls: [Control]? = nil

        package init(
            role: String, kind: String, identity: String, name: String, from_ns: Int64? = nil,
            format: Format,
            latency_ns: Int64? = nil, latency_source: CorrectionSource? = nil, offset_ns: Int64? = nil,
            offset_source: CorrectionSource? = nil, voice: VoiceSettings? = nil,
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
            self.voice = voice
            time_error_ns = timeError > .zero ? timeError.count : nil
            self.clock = clock
            self.metadata = metadata
            self.controls = controls
        }
    }

    /// A control that was set on a camera.
    public struct Control: Sendable, Equatable, Codable {
        /// Name of the control.
        public var name: String
        /// Value that was requested.
        public var asked: Int64
        /// Value that was read back from the camera; `nil` where it could not be read.
        public var value: Int64?
        /// Who requested the value: a person, a saved preset, the rate lock, or matching with another camera.
        public var origin: ControlRequest.Origin
        /// Why the camera did not take the value; `nil` where it did.
        public var refused: String?

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
    public struct Format: Sendable, Equatable, Codable {
        /// Pixel format of a camera, for example `mjpeg`; `nil` for microphones.
        public var pixel: String?
        /// Width of the camera's frames in pixels; `nil` for microphones.
        public var width: Int?
        /// Height of the camera's frames in pixels; `nil` for microphones.
        public var height: Int?
        /// Number of a microphone's channels; `nil` for cameras.
        public var channels: Int?
        /// Frames per second of a camera, or samples per second of a microphone.
        public var rate: Double

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
    public struct Clock: Sendable, Equatable, Codable {
        /// Who dates the device's frames or audio; `nil` where the driver does.
        public var source: TimeOrigin? = nil
        /// How far off the capture times may be in microseconds, as who dates them says; `nil` where the driver dates.
        public var error_us: Double? = nil
        /// Error of the device's rate in parts per million, positive when it runs fast against its nominal rate.
        public var ppm: Double
        /// Typical distance of one time stamp from the clock's line (root mean square), in microseconds.
        public var jitter_us: Double
        /// Standard error of the clock's line at its newest end, in microseconds: how well the clock is known.
        public var residual_us: Double
        /// Whether the model was reliable in the end: its residual was below 1 ms, and the last time stamps lay about its line.
        public var locked: Bool
        /// How often the model began anew, as after a jump of the device's clock.
        public var restarts: Int
        /// Number of time stamps that were not after their predecessor, including impossible ones that the model never saw.
        public var non_monotonic: Int
    }
}

extension Manifest.Clock {
    /// Takes a clock model, rounded to 0.01 ppm and 0.1 µs; it never saw the `corrected`, impossible time stamps.
    ///
    /// - Parameters:
    ///   - model: The clock model.
    ///   - corrected: Number of impossible time stamps.
    ///   - origin: Who dates; `nil` where the driver does.
    ///   - error: How far off the dates may be; counts where `origin` is given.
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

    /// Rounds `value` to a whole number of `parts` per unit; adding 0 turns −0 into 0.
    package static func rounded(_ value: Double, _ parts: Double) -> Double {
        (value * parts).rounded() / parts + 0
    }
}
