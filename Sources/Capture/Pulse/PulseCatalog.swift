internal import CMulticamLinux
package import MulticamMedia

/// Lists the sound server's microphones and resolves selectors.
package enum PulseCatalog {
    /// Returns the server's current microphones. Blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - includeMonitors: Whether to include the monitors of outputs, which record the audio played by the
    ///     computer.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    /// - Returns: The sources in the server's order.
    /// - Throws: `DeviceError` with `noSoundServer`.
    package static func microphones(
        includeMonitors: Bool = false, server: String? = nil
    ) throws(DeviceError) -> [PulseSource] {
        let sources = try PulseConnection(server: server).sources().filter { !$0.isOwn }
        return includeMonitors ? sources : sources.filter { !$0.isMonitor }
    }

    /// Returns the source that matches `selector`: `default`, `pulse:<name>`, or a part of a name or description
    /// (case-insensitive).
    ///
    /// Only `pulse:` can select monitors, so a partial name never selects the computer's own audio as a microphone.
    /// - Throws: `DeviceError` with `notFound`, or with `ambiguous` and a selector for each candidate.
    package static func resolve(
        _ selector: String, among sources: [PulseSource]
    ) throws(DeviceError) -> PulseSource {
        if selector == "default" { return try defaultMicrophone(among: sources) }
        if selector.hasPrefix("pulse:") {
            let name = selector.dropFirst("pulse:".count)
            if let source = sources.first(where: { $0.name == name }) { return source }
            throw DeviceError(device: selector, operation: "searching for a microphone", reason: .notFound)
        }
        let part = selector.lowercased()
        let microphones = sources.filter { !$0.isMonitor }
        if let source = microphones.first(where: { $0.name.lowercased() == part }) { return source }
        let fitting =
            part.isEmpty
            ? []
            : microphones.filter {
                $0.name.lowercased().contains(part) || $0.description.lowercased().contains(part)
            }
        guard let first = fitting.first else {
            throw DeviceError(device: selector, operation: "searching for a microphone", reason: .notFound)
        }
        guard fitting.count == 1 else {
            throw DeviceError(
                device: selector, operation: "searching for a microphone",
                reason: .ambiguous(candidates: fitting.map(\.selector)))
        }
        return first
    }

    private static func defaultMicrophone(among sources: [PulseSource]) throws(DeviceError) -> PulseSource {
        let chosen = sources.first(where: \.isDefault)
        if let chosen, !chosen.isMonitor { return chosen }
        let why =
            chosen == nil
            ? "the sound server's default source is not a microphone"
            : "the sound server's default source is the monitor of an output, not a microphone"
        throw DeviceError(
            device: "default", operation: "searching for a microphone (\(why))", reason: .notFound)
    }
}

/// A source of the sound server: a microphone, or the monitor of an output. Strings are unchanged from the server,
/// except the description, which is made printable.
package struct PulseSource: Sendable, Hashable {
    /// Server name of the source, for example `alsa_input.usb-046d_0825-02.mono-fallback`.
    package let name: String
    /// Display name of the source, printable.
    package let description: String
    /// Native format of the source: 8000…192 000 Hz, 1…8 channels.
    package let format: AudioFormat
    /// Whether the source is the monitor of an output, which records the audio played on that output.
    package let isMonitor: Bool
    /// Whether the source is the server's default source.
    package let isDefault: Bool
    /// Path of the device relative to `/sys`, for example `/devices/pci0000:00/…/audio/card1`; empty if unavailable.
    package let sysfsPath: String
    /// Bus path, for example `pci-0000:00:14.0-usb-0:2:1.2`; empty if unavailable.
    package let busPath: String
    /// USB vendor ID in hexadecimal, for example `046d`; empty if unavailable.
    package let vendor: String
    /// USB product ID in hexadecimal, for example `0825`; empty if unavailable.
    package let product: String
    /// Serial number of the USB device; empty if unavailable.
    package let serial: String
    /// Position of each channel as a `pa_channel_position`; empty if unknown.
    let channelPositions: [Int32]
    /// Server index of the source. The server doesn't reuse an index for later sources.
    let index: UInt32
    /// Server index of the source's card; `linux_PA_INVALID_INDEX` if none.
    private(set) var cardIndex = linux_PA_INVALID_INDEX
    /// Whether a program is recording from the source.
    private(set) var isRunning = false
    /// Whether a session created the source, for itself or for other programs.
    var isOwn: Bool {
        [VoiceModules.prefix, PulseVirtualMicrophone.prefix].contains { name.hasPrefix($0) }
    }
    /// Card of the source; `nil` if none.
    var card: SoundCard?
    /// Ports that the source can record from; empty if there is no choice.
    package private(set) var ports: [AudioPort] = []
    /// Whether the source is muted or its volume is 0 on all channels, so that the server delivers silence.
    package private(set) var isMuted = false

    /// Creates a source from known values, without a card, ports or a server index.
    package init(
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

    /// Copies libpulse's information about a source; `defaultName` is the name of the server's default source, if it
    /// has one.
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

    /// Reads the serial number of the USB device itself. The server's `device.serial` is udev's `ID_SERIAL`, which
    /// contains the manufacturer and model and exists even for devices without a serial number.
    private static func serial(ofSysfsPath path: String) -> String {
        guard !path.isEmpty, let device = SysfsTree().usbDevice(of: path) else { return "" }
        return SysfsTree().attribute("serial", of: device)?.printable() ?? ""
    }

    /// Selector that matches exactly this source.
    package var selector: String { "pulse:\(name)" }

    /// The source as a device with its identity, card and ports.
    package var captureDevice: CaptureDevice {
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
        device.channelPositions = channelPositions.map(Self.position)
        return device
    }

    /// Returns the position that corresponds to a `pa_channel_position`.
    private static func position(of position: Int32) -> CaptureDevice.Position {
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

    /// The source with its USB device, which identifies the camera that contains the microphone.
    package var located: LocatedDevice {
        LocatedDevice(
            device: captureDevice,
            usbDevice: sysfsPath.isEmpty ? nil : CameraCatalog.usbDevice(ofSysfsPath: sysfsPath),
            instance: UInt64(index))
    }
}
