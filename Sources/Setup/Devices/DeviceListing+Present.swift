internal import Capture
internal import Media

extension DeviceListing {
    /// The connected cameras, each by its node and its name. Opens none, so that cameras that stream are not disturbed.
    public static func presentCameras() -> [(selector: String, name: String)] {
        PresentCameras().devices().map { ($0.node, $0.name) }
    }

    /// The sound server's microphones, each by its selector and its name; none where there is no server. Blocks for at most a few
    /// seconds.
    public static func presentMicrophones() -> [(selector: String, name: String)] {
        do throws(DeviceError) {
            return try PulseCatalog.microphones().map { ("pulse:\($0.name)", $0.description) }
        } catch {
            return []
        }
    }
}
