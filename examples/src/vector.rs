//! Energy and momentum.

use std::f64::consts::{PI, TAU};
use std::iter::Sum;
use std::ops::Add;

/// Energy and momentum of a particle, in GeV; the beam goes along `z`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FourVector {
    /// Energy.
    pub e: f64,
    /// Momentum across the beam.
    pub x: f64,
    /// Momentum across the beam, upwards.
    pub y: f64,
    /// Momentum along the beam.
    pub z: f64,
}

impl FourVector {
    /// From transverse momentum, pseudorapidity, azimuth and mass.
    pub fn from_pt_eta_phi_mass(pt: f64, eta: f64, phi: f64, mass: f64) -> Self {
        let (x, y, z) = (pt * phi.cos(), pt * phi.sin(), pt * eta.sinh());
        Self { e: (x * x + y * y + z * z + mass * mass).sqrt(), x, y, z }
    }

    /// From transverse momentum, rapidity, azimuth and mass.
    pub fn from_pt_rapidity_phi_mass(pt: f64, rapidity: f64, phi: f64, mass: f64) -> Self {
        let transverse_mass = pt.hypot(mass);
        Self {
            e: transverse_mass * rapidity.cosh(),
            x: pt * phi.cos(),
            y: pt * phi.sin(),
            z: transverse_mass * rapidity.sinh(),
        }
    }

    /// Momentum across the beam.
    pub fn pt(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// Angle around the beam, from -π to π.
    pub fn phi(&self) -> f64 {
        self.y.atan2(self.x)
    }

    /// What experiments use for the angle to the beam: 0 across it, ±∞ along it.
    pub fn eta(&self) -> f64 {
        (self.z / self.pt()).asinh()
    }

    /// As [`eta`](Self::eta), but boosts along the beam shift it.
    pub fn rapidity(&self) -> f64 {
        0.5 * ((self.e + self.z) / (self.e - self.z)).ln()
    }

    /// Mass; 0 where rounding makes its square negative.
    pub fn mass(&self) -> f64 {
        (self.e * self.e - self.x * self.x - self.y * self.y - self.z * self.z).max(0.0).sqrt()
    }

    /// The same particle as seen from where `frame`, at rest before, has its energy and momentum.
    #[must_use]
    pub fn boosted(&self, frame: &Self) -> Self {
        let mass = frame.mass();
        let e = (frame.e * self.e + frame.x * self.x + frame.y * self.y + frame.z * self.z) / mass;
        let along = (e + self.e) / (frame.e + mass);
        Self { e, x: self.x + along * frame.x, y: self.y + along * frame.y, z: self.z + along * frame.z }
    }

    /// The same direction and mass, with the momentum `factor` times as large.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mass = self.mass();
        let (x, y, z) = (self.x * factor, self.y * factor, self.z * factor);
        Self { e: (x * x + y * y + z * z + mass * mass).sqrt(), x, y, z }
    }

    /// Distance in pseudorapidity and azimuth.
    pub fn delta_r(&self, other: &Self) -> f64 {
        let (d_eta, d_phi) = (self.eta() - other.eta(), delta_phi(self.phi(), other.phi()));
        (d_eta * d_eta + d_phi * d_phi).sqrt()
    }
}

impl Add for FourVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { e: self.e + other.e, x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sum for FourVector {
    fn sum<I: Iterator<Item = Self>>(vectors: I) -> Self {
        vectors.fold(Self::default(), Self::add)
    }
}

/// The smaller of the two angles from `b` to `a`, which are both from -π to π.
pub fn delta_phi(a: f64, b: f64) -> f64 {
    match a - b {
        angle if angle > PI => angle - TAU,
        angle if angle < -PI => angle + TAU,
        angle => angle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * (1.0 + a.abs())
    }

    #[test]
    fn coordinates_come_back() {
        let vector = FourVector::from_pt_eta_phi_mass(30.0, -1.7, 2.9, 0.105);
        assert!(close(vector.pt(), 30.0) && close(vector.eta(), -1.7) && close(vector.phi(), 2.9));
        assert!((vector.mass() - 0.105).abs() < 1e-6);
        let vector = FourVector::from_pt_rapidity_phi_mass(12.0, 2.1, -0.4, 91.0);
        assert!(close(vector.rapidity(), 2.1) && close(vector.mass(), 91.0));
    }

    #[test]
    fn a_boost_keeps_the_mass_and_takes_rest_to_the_frame() {
        let frame = FourVector::from_pt_rapidity_phi_mass(40.0, 1.0, 0.3, 91.0);
        let rest = FourVector { e: 91.0, ..FourVector::default() };
        let moved = rest.boosted(&frame);
        assert!(close(moved.e, frame.e) && close(moved.x, frame.x) && close(moved.z, frame.z));

        let muon = FourVector::from_pt_eta_phi_mass(45.0, 0.2, 1.0, 0.105);
        assert!((muon.boosted(&frame).mass() - 0.105).abs() < 1e-4);
    }

    #[test]
    fn angles_go_the_short_way_around() {
        assert!(close(delta_phi(3.0, -3.0), 6.0 - TAU));
        assert!(close(delta_phi(-3.0, 3.0), TAU - 6.0));
        assert!(close(delta_phi(0.5, 0.2), 0.3));
    }
}
