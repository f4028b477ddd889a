internal import CLinux
public import Media

/// A source of the sound server: a microphone, or the monitor of an output. Strings are as the server gives them, but
/// for the description, which is fit to print.
public struct PulseSource: Sendable, Hashable {
    /// The server's own name for it, for example `alsa_input.usb-046d_0825-02.mono-fallback`.
    public let name: String
    public let description: String
    /// Its native format: a rate of 8000…192 000, 1…8 channels.
    public let format: AudioFormat
    /// Whether it plays back what an output plays.
    public let isMonitor: Bool
    /// Whether it is the server's default source.
    public let isDefault: Bool
    /// Below `/sys`, for example `/devices/pci0000:00/…/audio/card1`; empty where there is none, as the following.
    public let sysfsPath: String
    /// For example `pci-0000:00:14.0-usb-0:2:1.2`.
    public let busPath: String
    /// `046d`.
    public let vendor: String
    /// `0825`.
    public let product: String
    /// Of the USB device; empty where it has none.
    public let serial: String
    /// Where each channel stands, by `pa_channel_position`; empty when not known.
    let channelPositions: [Int32]
    /// The server's number for it, which no later source of the same server gets.
    let index: UInt32
    /// That of its card; `linux_PA_INVALID_INDEX` for none.
    private(set) var cardIndex = linux_PA_INVALID_INDEX
    /// Whether somebody records from it.
    private(set) var isRunning = false
    /// Whether a session has made it, for itself.
    var isVoice: Bool { name.hasPrefix(VoiceModules.prefix) }
    /// That card; `nil` where it is of none.
    var card: SoundCard?
    /// What it can listen to; none where there is no choice.
    public private(set) var ports: [AudioPort] = []
    /// Whether the server gives silence in its place, or turns it down to nothing.
    public private(set) var isMuted = false

    public init(
        name: String, description: String, format: AudioFormat, isMonitor: Bool = false,
        isDefault: Bool = false,
        sysfsPath: String = "", busPath: String = "", vendor: String = "", product: String = "",
        serial: String = ""
    ) {
        self.init(
            name: name, description: description, format: format, isMonitor: isMonitor, isDefault: isDefault,
            sysfsPath: sysfsPath, busPath: busPath, vendor: vendor, product: product, serial: serial,
            channelPositions: [], index: linux_PA_INVALID_INDEX)
    }

    private init(
        name: String, description: String, format: AudioFormat, isMonitor: Bool, isDefault: Bool,
        sysfsPath: String,
        busPath: String, vendor: String, product: String, serial: String, channelPositions: [Int32],
        index: UInt32
    ) {
        self.name = name
        self.description = description.printable()
        self.format = format
        self.isMonitor = isMonitor
        self.isDefault = isDefault
        self.sysfsPath = sysfsPath
        self.busPath = busPath
        self.vendor = vendor
        self.product = product
        self.serial = serial
        self.channelPositions = channelPositions
        self.index = index
    }

    /// Takes over what libpulse says of a source; `defaultName` is the server's default source, if it has
    /// one.
    init(_ info: pa_source_info, defaultName: String?) {
        func property(_ key: String) -> String {
            guard let value = pa_proplist_gets(info.proplist, key) else { return "" }
            return String(cString: value)
        }
        let name = info.name.map { String(cString: $0) } ?? ""
        let sysfsPath = property("sysfs.path")
        let channels = Int(info.sample_spec.channels)
        let positions = withUnsafeBytes(of: info.channel_map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(channels).map { $0.rawValue }
        }
        self.init(
            name: name, description: info.description.map { String(cString: $0) } ?? name,
            format: AudioFormat(
                rate: min(max(Int(info.sample_spec.rate), 8_000), 192_000), channels: min(max(channels, 1), 8)
            ),
            isMonitor: info.monitor_of_sink != linux_PA_INVALID_INDEX, isDefault: name == defaultName,
            sysfsPath: sysfsPath, busPath: property("device.bus_path"),
            vendor: property("device.vendor.id"), product: property("device.product.id"),
            serial: Self.serial(ofSysfsPath: sysfsPath), channelPositions: positions, index: info.index)
        cardIndex = info.card
        isRunning = info.state == PA_SOURCE_RUNNING
        ports = AudioPort.all(of: info)
        let volumes = withUnsafeBytes(of: info.volume.values) { bytes in
            Array(bytes.bindMemory(to: pa_volume_t.self).prefix(Int(info.volume.channels)))
        }
        isMuted = info.mute != 0 || (!volumes.isEmpty && volumes.allSatisfy { $0 == 0 })
    }

    /// The USB device's own serial number. The server's `device.serial` is udev's `ID_SERIAL`, which has maker and model in
    /// it and is there for devices without any number.
    private static func serial(ofSysfsPath path: String) -> String {
        guard !path.isEmpty, let device = SysfsTree().usbDevice(of: path) else { return "" }
        return SysfsTree().attribute("serial", of: device)?.printable() ?? ""
    }

    /// Names exactly this source.
    public var selector: String { "pulse:\(name)" }

    public var captureDevice: CaptureDevice {
        let productID = vendor.isEmpty || product.isEmpty ? "" : "\(vendor):\(product)"
        var device = CaptureDevice(
            mediaType: .audio, deviceType: .microphone,
            identity: DeviceIdentity(
                busPath: busPath.printable(), product: productID.printable(), serial: serial.printable(),
                name: description),
            name: description, node: name, selector: selector, audio: format)
        device.isDefault = isDefault
        device.card = card
        device.ports = ports
        return device
    }

    /// With the USB device that it is a part of, to find the camera around it.
    package var located: LocatedDevice {
        LocatedDevice(
            device: captureDevice,
            usbDevice: sysfsPath.isEmpty ? nil : CameraCatalog.usbDevice(ofSysfsPath: sysfsPath),
            instance: UInt64(index))
    }
}
