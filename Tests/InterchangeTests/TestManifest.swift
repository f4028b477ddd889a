import MulticamMedia
import MulticamSessionFolder
import MulticamTiming

/// Synthetic manifests.
enum TestManifest {
    static func make(
        duration: Int64, tracks: [Manifest.Track], arrangements: [Manifest.Arrangement]? = nil,
        started: String = "2026-11-21T14:23:10.000000000+01:00"
    ) -> Manifest {
        Manifest(
            multicam: "0.0.0", profile: "test", started: started, t0_monotonic_ns: 0, duration_ns: duration,
            alignment_delay_ns: 100_000_000, outcome: .finished,
            machine: Manifest.Machine(host: "h", system: "s", processors: 1),
            devices: tracks.filter { $0.kind != "program" }.map { device($0.role ?? $0.name, $0.kind) },
            tracks: tracks, governor: [], markers: [], arrangements: arrangements, gaps: [])
    }

    static func device(_ role: String, _ kind: String, size: FrameSize = FrameSize(width: 640, height: 360))
        -> Manifest.Device
    {
        Manifest.Device(
            role: role, kind: kind, identity: "i", name: "Camera of \(role)",
            format: Manifest.Format(pixel: "mjpeg", width: size.width, height: size.height, rate: 30),
            clock: Manifest.Clock(DeviceClock(nominalSecondsPerCount: 1 / 30.0)))
    }

    static func camera(
        _ role: String, name: String? = nil, file: String? = nil, rate: Double = 30, width: Int = 640,
        height: Int = 360, rotation: Int = 0, crop: PixelRectangle? = nil, first: Int64 = 0,
        duration: Int64, variableRate: Bool? = nil, parts: [Manifest.Part]? = nil
    ) -> Manifest.Track {
        Manifest.Track(
            name: name ?? role, role: name == nil ? nil : role, kind: "camera",
            file: file ?? "cameras/\(name ?? role).mov", stream: 0,
            codec: variableRate == true ? "h264" : "mjpeg",
            width: width, height: height, rate: rate, rotation: rotation, crop: crop, first_ns: first,
            duration_ns: duration, variable_rate: variableRate, parts: parts?.map(\.file), part_details: parts
        )
    }

    static func microphone(_ role: String, duration: Int64) -> Manifest.Track {
        Manifest.Track(
            name: role, kind: "microphone", file: "audio/\(role).wav", stream: 0, codec: "pcm_s24le",
            channels: 1, first_ns: 0, duration_ns: duration)
    }

    static func program(rate: Double, width: Int = 1280, height: Int = 720, duration: Int64) -> Manifest.Track
    {
        Manifest.Track(
            name: "program", kind: "program", file: "program.mp4", stream: 0, codec: "h264", width: width,
            height: height, rate: rate, rotation: 0, channels: 2, first_ns: 0, duration_ns: duration)
    }

    static func layer(
        _ role: String, _ place: (x: Int, y: Int, width: Int, height: Int), crop: FramePart = .whole,
        rotation: Rotation = .none, mirrored: Bool = false, fit: FrameFit = .contain,
        border: Int = 0
    ) -> Manifest.Layer {
        Manifest.Layer(
            role: role, x: place.x, y: place.y, width: place.width, height: place.height, crop: crop,
            rotation: rotation, mirrored: mirrored, fit: fit, border: border)
    }
}
