internal import CLinux
public import Media

/// A source of the sound server: a microphone, or the monitor of an output. Strings are as the server gives them,
/// except the description, which is made printable.
public struct PulseSource: Sendable, Hashable {
    /// The server's name for the source, for example `alsa_input.usb-046d_0825-02.mono-fallback`.
    public let name: String
    /// The source's name for people, printable.
    public let description: String
    /// Native format of the source: 8000…192 000 Hz, 1…8 channels.
    public let format: AudioFormat
    /// Whether the source is the monitor of an output, which records what the output plays.
    public let isMonitor: Bool
    /// Whether the source is the server's default one.
    public let isDefault: Bool
    /// Path of the device below `/sys`, for example `/devices/pci0000:00/…/audio/card1`; empty where there is none.
    public let sysfsPath: String
    /// Bus path, for example `pci-0000:00:14.0-usb-0:2:1.2`; empty where there is none.
    public let busPath: String
    /// USB vendor number in hexadecimal, for example `046d`; empty where there is none.
    public let vendor: String
    /// USB product number in hexadecimal, for example `0825`; empty where there is none.
    public let product: String
    /// Serial number of the USB device; empty where there is none.
    public let serial: String
    /// Position of each channel as a `pa_channel_position`; empty when not known.
    let channelPositions: [Int32]
    /// The server's number for the source, which no later source of the same server gets.
    let index: UInt32
    /// The server's number for the source's card; `linux_PA_INVALID_INDEX` for none.
    private(set) var cardIndex = linux_PA_INVALID_INDEX
    /// Whether a program records from the source.
    private(set) var isRunning = false
    /// Whether a session has made the source, for itself or for other programs.
    var isOwn: Bool {
        [VoiceModules.prefix, OfferedMicrophone.prefix].contains { name.hasPrefix($0) }
    }
    /// The source's card; `nil` where it has none.
    var card: SoundCard?
    /// The ports that the source can listen to; empty where there is no choice.
    public private(set) var ports: [AudioPort] = []
    /// Whether the source is muted or its volume is 0 on all channels, so that the server delivers silence.
    public private(set) var isMuted = false

    /// Makes a source from known facts; it has no card, ports or server number.
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

    /// Takes over libpulse's facts about a source; `defaultName` is the name of the server's default source, if it has
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

    /// Reads the USB device's own serial number. The server's `device.serial` is udev's `ID_SERIAL`, which contains
    /// maker and model and exists for devices without any number.
    private static func serial(ofSysfsPath path: String) -> String {
        guard !path.isEmpty, let device = SysfsTree().usbDevice(of: path) else { return "" }
        return SysfsTree().attribute("serial", of: device)?.printable() ?? ""
    }

    /// The selector that names exactly this source.
    public var selector: String { "pulse:\(name)" }

    /// The source as a device with identity, card and ports.
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
        device.channelPositions = channelPositions.map(Self.side)
        return device
    }

    /// The side of a `pa_channel_position`.
    private static func side(_ position: Int32) -> CaptureDevice.Position {
        switch pa_channel_position_t(position) {
        case PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT,
            PA_CHANNEL_POSITION_FRONT_CENTER,
            PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER:
            .front
        case PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT, PA_CHANNEL_POSITION_REAR_CENTER:
            .back
        default: .unspecified
        }
    }

    /// The source with the USB device that it belongs to, which leads to the camera around it.
    package var located: LocatedDevice {
        LocatedDevice(
            device: captureDevice,
            usbDevice: sysfsPath.isEmpty ? nil : CameraCatalog.usbDevice(ofSysfsPath: sysfsPath),
            instance: UInt64(index))
    }
}
