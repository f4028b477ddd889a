internal import Media
internal import Plan
internal import Profiles

extension OwnSources {
    /// The format of a camera of which nothing else is said.
    private static let usual = (size: FrameSize(width: 1280, height: 720), rate: FrameRate(30, per: 1))
    /// The size of a screen of which nothing else is said.
    private static let usualScreen = FrameSize(width: 1920, height: 1080)

    /// Plans what nobody connects to now: network cameras, screens and the devices of other processes, in the format that their roles
    /// want, and says so.
    ///
    /// - Parameter profile: The profile whose roles name them.
    /// - Returns: These sources with those, and the profile in which the audio of a stream has its camera's selector.
    func assuming(for profile: Profile) -> (own: OwnSources, profile: Profile) {
        var (own, profile) = (self, profile)
        let known = roles
        var streams: [String: String] = [:]
        for camera in profile.cameras where Self.isRemote(camera.device) && !known.contains(camera.role) {
            let format = Self.format(of: camera)
            let name = Self.name(of: camera.device)
            let offered = OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))
            let device = CaptureDevice(
                mediaType: .video, deviceType: SourceAddress.isScreen(camera.device) ? .screen : .network,
                identity: DeviceIdentity(name: name), name: name, node: "", selector: name, formats: [offered]
            )
            own.assumed[camera.role] = PlannedDevice(
                selector: name, device: device, offers: .listed([offered]))
            own.notes.append(
                "\(camera.role): the format of \(name) is known when it is connected to, as it is recorded; planned as \(format)."
            )
            streams["camera:\(camera.role)"] = camera.device
        }
        for index in profile.microphones.indices {
            let microphone = profile.microphones[index]
            let selector = streams[microphone.device] ?? microphone.device
            guard Self.isRemote(selector), !known.contains(microphone.role) else { continue }
            profile.microphones[index].device = selector
            let name = Self.name(of: selector)
            let device = CaptureDevice(
                mediaType: .audio, deviceType: .network, identity: DeviceIdentity(name: name), name: name,
                node: "", selector: name, audio: AudioFormat(rate: 48_000, channels: microphone.channels))
            own.assumed[microphone.role] = PlannedDevice(
                selector: name, device: device, offers: .listed([]))
        }
        return (own, profile)
    }

    /// A selector as it may be shown.
    private static func name(of selector: String) -> String {
        selector == SecretSource.selector
            ? "the address that url_from keeps" : SourceAddress.printable(of: selector)
    }

    /// The format that a role wants: H.264 of what the network brings, and JPEG of a web server and a screen, where it does not say.
    private static func format(of camera: CameraRole) -> VideoFormat {
        let isScreen = SourceAddress.isScreen(camera.device)
        let isJPEG = isScreen || camera.device.lowercased().hasPrefix("http")
        let pixel: PixelFormat =
            switch camera.format {
            case .auto: isJPEG ? .mjpeg : .h264
            case .mjpeg: .mjpeg
            case .h264: .h264
            case .yuyv: .yuyv
            case .nv12: .nv12
            case .grey: .grey
            }
        return VideoFormat(
            pixel: pixel, size: camera.size ?? (isScreen ? usualScreen : usual.size),
            rate: camera.rate ?? usual.rate)
    }
}
