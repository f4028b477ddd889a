package import Media

/// One alternate setting of one interface.
package struct USBInterfaceSetting: Sendable, Hashable {
    /// Class code of video (UVC 1.5, A.1).
    package static let video: UInt8 = 0x0E
    /// Class code of audio.
    package static let audio: UInt8 = 0x01

    /// Number of the interface.
    package let interface: Int
    /// Number of the alternate setting.
    package let alternate: Int
    /// USB class code of the setting.
    package let classCode: UInt8
    /// USB subclass code of the setting.
    package let subclass: UInt8
    /// Endpoints of the setting, without endpoint 0.
    package var endpoints: [USBEndpoint]
    /// Numbers of the streaming interfaces of a video control interface (UVC 1.5, table 3-3); empty for other
    /// interfaces.
    package var streamingInterfaces: [Int] = []
    /// Sources of frames of a video control interface: `wTerminalType` of its input terminals (UVC 1.5, tables 3-4 and
    /// B-2 to B-4); empty for other interfaces.
    package var inputTerminals: [UInt16] = []

    /// Whether the interface controls a camera.
    package var isVideoControl: Bool { classCode == Self.video && subclass == 1 }
    /// Whether the interface streams frames.
    package var isVideoStreaming: Bool { classCode == Self.video && subclass == 2 }

    /// Bandwidth that the setting reserves as long as it is chosen; interrupt endpoints, which are small and rare, are
    /// left out.
    package func reservations(at speed: USBSpeed) -> [USBReservation] {
        endpoints.filter { $0.transfer == .isochronous && $0.bytes(at: speed) > 0 }
            .map { $0.reservation(at: speed) }
    }
}
