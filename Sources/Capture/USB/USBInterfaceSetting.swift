package import Media

/// One alternate setting of one interface.
package struct USBInterfaceSetting: Sendable, Hashable {
    /// Class code of video (UVC 1.5, A.1).
    package static let video: UInt8 = 0x0E
    /// Class code of audio.
    package static let audio: UInt8 = 0x01

    package let interface: Int
    package let alternate: Int
    package let classCode: UInt8
    package let subclass: UInt8
    package var endpoints: [USBEndpoint]
    /// Of a video control interface: the numbers of its streaming interfaces (UVC 1.5, table 3-3).
    package var streamingInterfaces: [Int] = []
    /// Likewise: where its frames come from, `wTerminalType` of its input terminals (UVC 1.5, tables 3-4 and B-2 to B-4).
    package var inputTerminals: [UInt16] = []

    package var isVideoControl: Bool { classCode == Self.video && subclass == 1 }
    package var isVideoStreaming: Bool { classCode == Self.video && subclass == 2 }

    /// What the setting keeps of the bus as long as it is chosen; interrupts, which are small and rare, are left out.
    package func reservations(at speed: USBSpeed) -> [USBReservation] {
        endpoints.filter { $0.transfer == .isochronous && $0.bytes(at: speed) > 0 }
            .map { $0.reservation(at: speed) }
    }
}
